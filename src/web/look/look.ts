import type { Config } from "../../settings/config.ts";
import { type GameLink, type Picture, type PictureType, readPictureFile } from "../../settings/look.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Assets } from "../assets/build.ts";
import { accentStyle, bandAccent, kindsStyle, type Token, tintsStyle, token } from "./colours.ts";

/** The operator's look for pages, manifest and map, with addresses instead of files. */
export interface SiteLook {
  /** Undefined for the site's own logo. */
  readonly logo: string | undefined;
  /** The logo as the installed site's icon; undefined if it is not suitable. */
  readonly icon: { readonly src: string; readonly type: PictureType; readonly sizes: string } | undefined;
  /** The icon on an iPhone's home screen; must be PNG. */
  readonly touchIcon: string;
  readonly links: readonly GameLink[];
  readonly accentStyle: string | undefined;
  /** The accent on dark grounds, `#rrggbb`. */
  readonly bandAccent: string;
  /** The style sheet of a vocabulary's colours; undefined if it has none. */
  tintStyle(words: Pick<Vocabulary, "colours" | "kindColours">): string | undefined;
  readonly themeColours: Token;
  /** Picture of the game's world from above; undefined for a grid. */
  readonly mapImage: string | undefined;
  /** The drawing below the demo's positions, if the operator has no picture. */
  readonly demoLand: string;
}

/** Minimum size of the installed site's icon, in pixels. Source: https://web.dev/articles/add-manifest#icons */
const LEAST_ICON = 192;

const ENDINGS: Record<PictureType, string> = {
  "image/svg+xml": "svg",
  "image/png": "png",
  "image/webp": "webp",
  "image/jpeg": "jpg",
};

/** Adds the operator's files to the site's assets. */
export function prepareLook(look: Config["look"], assets: Assets): SiteLook {
  const logo = look.logo && addPicture(assets, "logo", look.logo);
  const icon = chooseIcon(look.logo, logo);
  return {
    logo,
    icon,
    touchIcon: icon?.type === "image/png" ? icon.src : assets.url("img/icons/apple-touch-icon.png"),
    links: look.links,
    accentStyle: look.accent && addStyle(assets, accentStyle(look.accent)),
    bandAccent: look.accent ? bandAccent(look.accent) : token("band-accent").dark,
    tintStyle: createTintStyles(assets),
    themeColours: token("band"),
    mapImage: look.mapImage && addPicture(assets, "map", look.mapImage),
    demoLand: `${assets.url("img/map/land.svg")}#land`,
  };
}

/** Creates each vocabulary's sheet once. */
function createTintStyles(assets: Assets): SiteLook["tintStyle"] {
  const made = new WeakMap<object, { readonly url: string | undefined }>();
  return (words) => {
    const known = made.get(words) ?? { url: addTints(assets, words) };
    made.set(words, known);
    return known.url;
  };
}

function addTints(assets: Assets, words: Pick<Vocabulary, "colours" | "kindColours">): string | undefined {
  const body = Buffer.from([tintsStyle(words.colours()), kindsStyle(words.kindColours())].join("\n").trim());
  if (body.length === 0) return undefined;
  return assets.add("look/tints.css", { type: "text/css; charset=utf-8", body });
}

function addPicture(assets: Assets, name: string, picture: Picture): string {
  const { type } = picture;
  return assets.add(`look/${name}.${ENDINGS[type]}`, { type, body: readPictureFile(picture) });
}

function addStyle(assets: Assets, style: string): string {
  return assets.add("look/accent.css", { type: "text/css; charset=utf-8", body: Buffer.from(style) });
}

function chooseIcon(logo: Picture | undefined, src: string | undefined): SiteLook["icon"] {
  if (!logo || src === undefined) return undefined;
  const { type, size } = logo;
  if (type === "image/svg+xml") return { src, type, sizes: "any" };
  if (!size || size.width !== size.height || size.width < LEAST_ICON) return undefined;
  return { src, type, sizes: `${size.width}x${size.height}` };
}

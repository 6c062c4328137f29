import { LRUCache } from "lru-cache";
import { loadCulori } from "../../settings/look.ts";
import { computeColours, GROUNDS, readable, token } from "../../web/look/colours.ts";
import type { Site } from "../../web/look/site.ts";
import type { DrawnKind } from "../../words/kinds/glyphs.ts";
import { isBuiltInKind } from "../../words/kinds/kinds.ts";
import type { PreviewGlyph, PreviewLook } from "./card.ts";

/** The parts of the site that cards need. */
export type PreviewSite = Pick<
  Site,
  "assets" | "bandAccent" | "baseUrl" | "category" | "glyph" | "logo" | "name" | "vocabulary"
>;

export function previewLook({ assets, bandAccent, logo, name }: PreviewSite): PreviewLook {
  return { siteName: name, accent: bandAccent, logo: logo ?? assets.url("img/logo.svg") };
}

/** The glyph of a record without a picture, in the colour of its category, else of its kind. */
export function previewGlyph(site: PreviewSite, kind: DrawnKind, category: string | null): PreviewGlyph {
  const { name, tint } = site.glyph(kind, category);
  return {
    name,
    colour: tint === undefined ? colourOfKind(site, kind) : onDark(tint, () => computeColours(tint).dark),
  };
}

function colourOfKind({ bandAccent, vocabulary }: PreviewSite, kind: DrawnKind): string {
  const own = new Map(vocabulary.kindColours()).get(kind);
  if (own !== undefined)
    return onDark(own, () => readable(loadCulori().formatHex(own) ?? "#808080", "dark", GROUNDS));
  if (kind === "servers" || kind === "pages") return onDark(kind, () => token("info").dark);
  return isBuiltInKind(kind) ? onDark(kind, () => token(kind).dark) : bandAccent;
}

/** Cached, because finding a readable colour takes a thousand times longer than the rest. */
const colours = new LRUCache<string, string>({ max: 500 });

function onDark(key: string, find: () => string): string {
  const colour = colours.get(key) ?? find();
  colours.set(key, colour);
  return colour;
}

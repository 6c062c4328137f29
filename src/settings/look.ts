import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import path from "node:path";
import type * as culori from "culori";
import { z } from "zod";
import { lazyPackage } from "./lazy-package.ts";
import { refuse } from "./values.ts";

/** Few commands need it, and all read the settings. */
export const loadCulori = lazyPackage<typeof culori>("culori");

/** An operator's picture: checked, but not read into memory yet. */
export interface Picture {
  /** An absolute path, or a `data:` URL for one that an operator uploaded. */
  readonly file: string;
  readonly type: PictureType;
  /** In pixels, for PNG only, to see whether it can be an icon. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

export type PictureType = "image/svg+xml" | "image/png" | "image/webp" | "image/jpeg";

/** A link to a site of the game, such as its forum. */
export interface GameLink {
  readonly name: string;
  /** By language, where it is called otherwise. */
  readonly names?: Readonly<Record<string, string>>;
  readonly url: string;
}

/** A part of the game's world in its coordinates, x to the east and y to the north. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The whole map of San Andreas, which is also what the demo's land fills. */
export const WHOLE_MAP: Bounds = { west: -3000, south: -3000, east: 3000, north: 3000 };

const MOST_LINKS = 12;
const HEAD_BYTES = 4096;

const KIB = 1024;

/** The settings of the look, for config.ts. */
export const lookSettings = {
  SITE_ACCENT: z.string().transform(parseColour).optional().meta({
    accepts: "an opaque colour, in any CSS spelling",
    unset: "the design's red",
    description:
      "The site's own colour. It becomes darker or lighter where text in it would be hard to read.",
  }),
  SITE_LOGO: picture(["image/svg+xml", "image/png", "image/webp"], 512 * KIB)
    .optional()
    .meta({
      unset: "the design's",
      description:
        "The logo. An SVG, or a square PNG of at least 192 pixels, is also the icon of the installed site.",
    }),
  SITE_LINKS: z
    .string()
    .transform(parseLinks)
    .default([])
    .meta({
      accepts: `at most ${MOST_LINKS} links: \`Forum=https://forum.example, Rules=https://game.example/rules\``,
      description:
        "Links to the game's other sites. `Forum\\|ru:Форум=https://…` has another name for Russian pages.",
    }),
  MAP_IMAGE: picture(["image/svg+xml", "image/png", "image/webp", "image/jpeg"], 24 * KIB * KIB)
    .optional()
    .meta({
      unset: "a grid; with demo data, a drawn land",
      description: "The game's world seen from above.",
    }),
  MAP_BOUNDS: z.string().transform(parseBounds).default(WHOLE_MAP).meta({
    accepts: "west, south, east, north",
    description: "The edges of the map and of its picture, in the game's coordinates.",
  }),
};

/** A colour in any of CSS's spellings, as `#rrggbb`. Transparent colours are refused. */
function parseColour(text: string, context: z.RefinementCtx): string {
  const { formatHex, parse, toGamut } = loadCulori();
  const colour = parse(text);
  if (!colour || (colour.alpha ?? 1) < 1) {
    return refuse(context, "must be an opaque CSS colour, like #b3341b or oklch(0.5 0.15 30)");
  }
  // A colour that sRGB cannot show becomes the nearest of the same hue.
  return formatHex(toGamut("rgb", "oklch")(colour));
}

/** `Forum|ru:Форум=https://forum.example, Rules=https://game.example/rules`; a comma of an address itself is `%2C`. */
function parseLinks(text: string, context: z.RefinementCtx): readonly GameLink[] {
  const links = text.split(",").map(readLink);
  if (links.length > MOST_LINKS) return refuse(context, `must be at most ${MOST_LINKS} links`);
  const known = links.filter((link) => link !== undefined);
  if (known.length === links.length) return known;
  return refuse(
    context,
    "must be links with commas between: Forum|ru:Форум=https://forum.example, Rules=https://…",
  );
}

function readLink(text: string): GameLink | undefined {
  const [, said = "", address = ""] = /^\s*([^=]{1,400}?)\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  const [name = "", ...others] = said.split("|").map((part) => part.trim());
  const names = others.map((part) => /^([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\s*:\s*(.{1,40})$/u.exec(part));
  const url = URL.parse(address);
  if (name === "" || name.length > 40 || names.includes(null)) return undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  const byLanguage = Object.fromEntries(names.flatMap((found) => (found ? [[found[1], found[2]]] : [])));
  return { name, url: url.href, ...(names.length > 0 && { names: byLanguage }) };
}

/** `-3000,-3000,3000,3000`: west, south, east, north. */
function parseBounds(text: string, context: z.RefinementCtx): Bounds {
  const parts = text.split(",").map((part) => part.trim());
  const [west = 0, south = 0, east = 0, north = 0] = parts.map(Number);
  const areNumbers = parts.length === 4 && parts.every((part) => /^-?\d{1,7}(\.\d{1,6})?$/.test(part));
  if (areNumbers && west < east && south < north) return { west, south, east, north };
  return refuse(context, "must be west,south,east,north in the game's coordinates: -3000,-3000,3000,3000");
}

/** Reads the path of a picture, which must have one of the types by its content, and a size within the limit. */
function picture(types: readonly PictureType[], mostBytes: number) {
  const names = types.map((type) => type.replace(/^image\/|\+xml$/g, "").toUpperCase()).join(", ");
  const readPicture = (file: string, context: z.RefinementCtx) => {
    const data = readDataUrl(file);
    const found = data ? { head: data.subarray(0, HEAD_BYTES), bytes: data.length } : lookAt(file);
    if (typeof found === "string") return refuse(context, found);
    if (found.bytes > mostBytes) {
      return refuse(
        context,
        `must be at most ${mostBytes / KIB} KiB; ${file} has ${Math.ceil(found.bytes / KIB)}`,
      );
    }
    const type = typeOf(found.head);
    if (type === undefined || !types.includes(type)) {
      return refuse(context, `must be a picture (${names}); ${file} is none by its content`);
    }
    const size = type === "image/png" ? pngSize(found.head) : undefined;
    return { file: data ? file : path.resolve(file), type, size } satisfies Picture;
  };
  const accepts = `a file of at most ${mostBytes / KIB} KiB: ${names}`;
  return z.string().transform(readPicture).meta({ accepts });
}

/** A picture as text, as the site stores one that an operator uploads. */
export function spellPicture(bytes: Buffer): string {
  return `data:;base64,${bytes.toString("base64")}`;
}

/** The content of a picture. */
export function readPictureFile({ file }: Picture): Buffer {
  return readDataUrl(file) ?? readFileSync(file);
}

function readDataUrl(text: string): Buffer | undefined {
  return text.startsWith("data:") ? Buffer.from(text.slice(text.indexOf(",") + 1), "base64") : undefined;
}

/** The first bytes of a file and its size, or why it cannot be read. */
function lookAt(file: string): { head: Buffer; bytes: number } | string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const length = readSync(descriptor, head, 0, HEAD_BYTES, 0);
      return { head: head.subarray(0, length), bytes: fstatSync(descriptor).size };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return `must be a file that can be read: ${file} (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** The type by the first bytes, as browsers see it. Source: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
function typeOf(head: Buffer): PictureType | undefined {
  const text = head.toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n\0\0\0\rIHDR") && head.length >= 24) return "image/png";
  if (/^RIFF[\s\S]{4}WEBPVP8/.test(text)) return "image/webp";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  const isSvg = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>|\s)*<svg[\s>]/i.test(
    text,
  );
  return isSvg ? "image/svg+xml" : undefined;
}

/** Source: https://www.w3.org/TR/png-3/#11IHDR */
function pngSize(head: Buffer) {
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

import type sharp from "sharp";
import type { Metadata, Sharp } from "sharp";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { type LazyText, lazyText, SaidError } from "../../words/i18n/lazy-text.ts";
import { drawSvg } from "./draw-svg.ts";

export const loadSharp = lazyPackage<typeof sharp>("sharp");

/** Why a file is refused as a picture, in English and for translation; the message follows the file's name. */
export class PictureError extends SaidError {
  override name = "PictureError";
}

/** The maximum size of a file. */
export const MOST_BYTES = 20 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** The maximum length of a side, in pixels. */
const MOST_SIDE = 8_192;
const MOST_PIXELS = 40_000_000;
/** The maximum number of frames; only the first is shown, but all are read. */
const MOST_FRAMES = 1_000;
/** SVG is rendered at this size, whatever its own. */
const DRAWN_SIDE = 640;
/** The maximum size of an SVG: rendering takes a hundred times the bytes of each element. */
const MOST_SVG_BYTES = 2 * 1024 * 1024;

const TYPES = {
  png: { name: "PNG", endings: ["png"] },
  jpeg: { name: "JPEG", endings: ["jpg", "jpeg"] },
  webp: { name: "WebP", endings: ["webp"] },
  gif: { name: "GIF", endings: ["gif"] },
  avif: { name: "AVIF", endings: ["avif"] },
  svg: { name: "SVG", endings: ["svg"] },
} as const;

type PictureType = keyof typeof TYPES;

/** Content that an SVG must not have, since it could run code, load other files or expand. */
const UNSAFE_SVG: readonly [RegExp, LazyText["key"]][] = [
  [/<!doctype|<!entity/i, "operator.picture.refused.svg_entities"],
  [/<[\w:-]*script\b/i, "operator.picture.refused.svg_script"],
  [/<[\w:-]*foreignobject\b/i, "operator.picture.refused.svg_foreign"],
  [/[\s"'/]on[a-z]+\s*=/i, "operator.picture.refused.svg_handler"],
  [/<\?xml-stylesheet|@import/i, "operator.picture.refused.svg_style"],
  [/href\s*=(?!["'\s]*#)/i, "operator.picture.refused.svg_link"],
  [/url\((?!["'\s]*#)/i, "operator.picture.refused.svg_address"],
];

/**
 * Reads a picture's first frame, ready to be resized.
 * @throws PictureError if the file is not a picture, is damaged, or is too large
 */
export async function readPicture(bytes: Buffer, name: string): Promise<Sharp> {
  if (checkType(bytes, name) === "svg") return readSvg(bytes);
  const { width, height, pages = 1 } = await readFacts(bytes);
  checkSize(width, height);
  if (pages > MOST_FRAMES)
    throw new PictureError(lazyText("operator.picture.refused.frames", { frames: pages, most: MOST_FRAMES }));
  return loadSharp()(bytes, LIMITS).rotate();
}

/**
 * Detects a file's type by its content.
 * @throws PictureError if it is not a picture, or its name has another extension
 */
export function checkType(bytes: Buffer, name: string): PictureType {
  const type = detectType(bytes);
  checkBytes(bytes.length);
  if (type === undefined) throw new PictureError(lazyText("operator.picture.refused.type"));
  checkEnding(name, type);
  return type;
}

async function readSvg(bytes: Buffer): Promise<Sharp> {
  if (bytes.length > MOST_SVG_BYTES)
    throw new PictureError(
      lazyText("operator.picture.refused.svg_bytes", {
        megabytes: Math.ceil(bytes.length / MEGABYTE),
        most: MOST_SVG_BYTES / MEGABYTE,
      }),
    );
  checkSvg(bytes.toString("utf8"));
  const drawn = await drawSvg(bytes, { side: DRAWN_SIDE, mostSide: MOST_SIDE });
  if (drawn === "failed") throw new PictureError(lazyText("operator.picture.refused.damaged"));
  if (drawn === "too slow") throw new PictureError(lazyText("operator.picture.refused.slow"));
  checkSize(drawn.width, drawn.height);
  return loadSharp()(drawn.picture, LIMITS);
}

function checkSize(width: number, height: number): void {
  if (width <= MOST_SIDE && height <= MOST_SIDE && width * height <= MOST_PIXELS) return;
  throw new PictureError(lazyText("operator.picture.refused.pixels", { width, height, side: MOST_SIDE }));
}

/**
 * @throws PictureError for an empty or too large file
 */
export function checkBytes(bytes: number): void {
  if (bytes === 0) throw new PictureError(lazyText("operator.picture.refused.empty"));
  if (bytes <= MOST_BYTES) return;
  const [megabytes, most] = [Math.ceil(bytes / MEGABYTE), MOST_BYTES / MEGABYTE];
  throw new PictureError(lazyText("operator.picture.refused.bytes", { megabytes, most }));
}

/** Whether a picture is animated; PNG declares that before its first pixels. False if the file is not a picture. */
export async function isAnimated(bytes: Buffer): Promise<boolean> {
  const type = detectType(bytes);
  if (type === undefined || type === "svg") return false;
  if (type === "png") {
    const control = bytes.indexOf("acTL");
    return control !== -1 && control < bytes.indexOf("IDAT");
  }
  if (type === "avif") return bytes.toString("latin1", 8, 12) === "avis";
  const { pages = 1 } = await loadSharp()(bytes, LIMITS)
    .metadata()
    .catch(() => ({ pages: 1 }));
  return pages > 1;
}

/** A file with any fault is refused, because half a picture is useless. */
const LIMITS = { limitInputPixels: MOST_PIXELS, failOn: "truncated", pages: 1 } as const;

async function readFacts(bytes: Buffer): Promise<Metadata> {
  try {
    return await loadSharp()(bytes, { ...LIMITS, limitInputPixels: false }).metadata();
  } catch {
    throw new PictureError(lazyText("operator.picture.refused.damaged"));
  }
}

/** Detects the type by the first bytes. Sources: the formats' specifications (PNG 5.2, RFC 9649, ISO/IEC 23000-22 …). */
function detectType(bytes: Buffer): PictureType | undefined {
  const head = bytes.subarray(0, 16).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (head.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(head)) return "gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return "webp";
  if (/^[\s\S]{4}ftypavi[fs]/.test(head)) return "avif";
  const text = bytes
    .subarray(0, 4_096)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  return /^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*(<!doctype[\s\S]*|<svg[\s>])/i.test(text) &&
    text.includes("<svg")
    ? "svg"
    : undefined;
}

/** Checks the extension. Raster pictures may have that of another type, because converters often keep the name. */
function checkEnding(name: string, type: PictureType): void {
  const ending = readEnding(name);
  if (ending === undefined) return;
  const { svg, ...ofPixels } = TYPES;
  const fitting = type === "svg" ? [svg] : Object.values(ofPixels);
  if (fitting.some((each) => endsSo(each, ending))) return;
  throw new PictureError(lazyText("operator.picture.refused.ending", { type: TYPES[type].name, ending }));
}

/** A picture's type, if its extension is that of another type. */
export function misnamed(bytes: Buffer, name: string): string | undefined {
  const [type, ending] = [detectType(bytes), readEnding(name)];
  if (type === undefined || ending === undefined || endsSo(TYPES[type], ending)) return undefined;
  return TYPES[type].name;
}

function readEnding(name: string): string | undefined {
  return /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase();
}

function endsSo({ endings }: { endings: readonly string[] }, ending: string): boolean {
  return endings.includes(ending);
}

function checkSvg(text: string): void {
  const unsafe = UNSAFE_SVG.find(([pattern]) =>
    pattern.test(text.replaceAll(/\sxmlns(:\w+)?\s*=\s*("[^"]*"|'[^']*')/g, " ")),
  );
  if (unsafe) throw new PictureError(lazyText(unsafe[1]));
}

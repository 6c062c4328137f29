import { createHash } from "node:crypto";
import pLimit from "p-limit";
import type { Sharp } from "sharp";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import {
  LARGE,
  type PictureFile,
  type ServedFile,
  type StoredPicture,
  THUMBNAILS,
} from "../stored-picture.ts";
import { loadSharp, PictureError, readPicture } from "./read-picture.ts";

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

/** Names a picture by its bytes, so that the same picture is stored once and an address never changes. */
export function nameOfBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

/**
 * Creates the sizes of a picture that pages load most; the others are created at their first request.
 * @throws PictureError if the file cannot be used
 */
export async function makeSizes(bytes: Buffer, fileName: string) {
  const { data, width, height } = await readPixels(await readPicture(bytes, fileName));
  const pixels = () => loadSharp()(data, { raw: { width, height, channels: 4 } });
  const large = await pixels().webp({ quality: 82, effort: 2 }).toBuffer();
  const files = new Map<PictureFile, Buffer>([[`${LARGE}.webp`, large]]);
  for (const side of THUMBNAILS) {
    // A picture smaller than its square stays unscaled, in the middle.
    const small = pixels().resize(side, side, {
      fit: "contain",
      background: TRANSPARENT,
      withoutEnlargement: true,
    });
    files.set(`${side}.webp`, await small.webp({ quality: 80, effort: 2 }).toBuffer());
  }
  return { picture: { name: nameOfBytes(bytes), width, height }, files };
}

/**
 * Measures a picture without creating its sizes.
 * @throws PictureError if the file cannot be used, even if only its end is damaged
 */
export async function measure(bytes: Buffer, fileName: string): Promise<StoredPicture> {
  const { width, height } = await readPixels(await readPicture(bytes, fileName));
  return { name: nameOfBytes(bytes), width, height };
}

/** A picture of 40 million pixels that is not stored line by line takes 160 MB while it is read. */
const ONE_AT_A_TIME_FROM = 8_000_000;
const oneAtATime = pLimit(1);

async function readPixels(picture: Sharp): Promise<{ data: Buffer; width: number; height: number }> {
  const { width, height } = await picture.metadata();
  return width * height < ONE_AT_A_TIME_FROM ? shrink(picture) : oneAtATime(() => shrink(picture));
}

async function shrink(picture: Sharp): Promise<{ data: Buffer; width: number; height: number }> {
  try {
    const { data, info } = await picture
      .resize(LARGE, LARGE, { fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch {
    throw new PictureError(lazyText("operator.picture.refused.damaged"));
  }
}

/** Creates a file from a larger one: from the large WebP, or from a drawing, which is rendered for the file's size. */
export async function makeFile(file: ServedFile, source: Buffer): Promise<Buffer> {
  const side = Number.parseInt(file, 10);
  const picture = loadSharp()(source, { density: (72 * side) / LARGE }).resize(side, side, {
    fit: "inside",
    withoutEnlargement: true,
  });
  if (file.endsWith(".webp")) return picture.webp({ quality: 86, alphaQuality: 90, effort: 3 }).toBuffer();
  if (file.endsWith(".avif")) return picture.avif({ quality: 55, effort: 2 }).toBuffer();
  // JPEG has no transparency: without white, glass and shadows would turn black.
  return picture.flatten({ background: "#ffffff" }).jpeg({ quality: 82, mozjpeg: true }).toBuffer();
}

// Draws previews for drawer.ts, in a process of its own.
import { fileURLToPath } from "node:url";
import sharp, { type OverlayOptions } from "sharp";
import { answerDrawings } from "../../records/pictures/drawing-process.ts";
import type { Block, Drawing, PlacedPicture, Run, Stack } from "./drawer.ts";

// Ignores the machine's fonts, so that a picture is the same everywhere and no fonts are searched for. It is read with
// the first text.
process.env.FONTCONFIG_FILE = fileURLToPath(new URL("./no-fonts.conf", import.meta.url));

answerDrawings(draw);

/** How much smaller a text may become before it is cut. */
const SHRINK = [1, 0.86, 0.74, 0.64, 0.55];
const QUALITIES = [88, 80, 70, 55, 40];

/** A text as pixels. */
interface Written {
  readonly input: Buffer;
  readonly width: number;
  readonly height: number;
}

interface Setting {
  readonly scale: number;
  readonly width: number;
  readonly wrap: "word" | "word-char";
}

async function draw({
  background,
  width,
  height,
  pictures,
  stacks,
  fonts,
  mostBytes,
}: Drawing): Promise<Buffer> {
  await loadFonts(fonts);
  const layers: OverlayOptions[] = [];
  for (const picture of pictures) layers.push(await place(picture));
  for (const stack of stacks) layers.push(...(await writeStack(stack)));
  const drawn = await sharp(Buffer.from(background))
    .resize(width, height)
    .flatten({ background: "#000" })
    .composite(layers)
    .removeAlpha()
    .raw()
    .toBuffer();
  for (const quality of QUALITIES) {
    const jpeg = await sharp(drawn, { raw: { width, height, channels: 3 } })
      .jpeg({ quality, mozjpeg: true, chromaSubsampling: quality > 75 ? "4:4:4" : "4:2:0" })
      .toBuffer();
    if (jpeg.length <= mostBytes) return jpeg;
  }
  throw new Error("no quality is small enough");
}

const loaded = new Set<string>();

/** Once loaded, all texts of the process can use a font by its family. */
async function loadFonts(files: readonly string[]): Promise<void> {
  for (const fontfile of files) {
    if (!loaded.has(fontfile)) await sharp({ text: { text: "a", fontfile } }).toBuffer();
    loaded.add(fontfile);
  }
}

/** Puts a picture into a square: one without transparency fills it with round corners, others get a margin. */
async function place({ bytes, x, y, side, radius, room }: PlacedPicture): Promise<OverlayOptions> {
  const picture = sharp(bytes, { limitInputPixels: MOST_PIXELS, density: await densityFor(bytes, side) });
  const { isOpaque } = await picture.stats();
  if (!isOpaque) {
    const inner = side - 2 * room;
    const input = await picture
      .resize(inner, inner, { fit: "contain", background: "#0000" })
      .png({ compressionLevel: 1 })
      .toBuffer();
    return { input, left: x + room, top: y + room };
  }
  const mask = `<svg xmlns="http://www.w3.org/2000/svg"><rect width="${side}" height="${side}" rx="${radius}"/></svg>`;
  const input = await picture
    .resize(side, side, { fit: "cover" })
    .ensureAlpha()
    .composite([{ input: Buffer.from(mask), blend: "dest-in" }])
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { input, left: x, top: y };
}

const MOST_PIXELS = 16_000_000;

/** A small drawing is rendered for the size that it is shown in, not enlarged. */
async function densityFor(bytes: Uint8Array, side: number): Promise<number> {
  const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
  const larger = format === "svg" ? side / Math.max(width, height) : 1;
  return Math.min(2_400, Math.max(72, 72 * larger));
}

/** Stacks texts: from the top of their area down, or, for `end`, so that the last one is at its end. */
async function writeStack({ x, y, width, height, align, blocks }: Stack): Promise<OverlayOptions[]> {
  const written: (Written & { gap: number })[] = [];
  for (const block of blocks) written.push({ ...(await fitIn(block, width)), gap: block.gap });
  const total = written.reduce((sum, { height, gap }, index) => sum + height + (index > 0 ? gap : 0), 0);
  let top = align === "end" ? y + height - total : y;
  return written.map(({ input, height, gap }, index) => {
    if (index > 0) top += gap;
    const layer = { input, left: x, top: Math.round(top) };
    top += height;
    return layer;
  });
}

/** Writes a text as large as its area allows, and cuts it if it is too long for the smallest size. */
async function fitIn({ runs, height }: Block, width: number): Promise<Written> {
  for (const scale of SHRINK) {
    const whole = await write(runs, { scale, width, wrap: "word" });
    if (whole.height <= height && whole.width <= width) return whole;
  }
  const scale = SHRINK.at(-1) ?? 1;
  const broken = await write(runs, { scale, width, wrap: "word-char" });
  if (broken.height <= height) return broken;
  return cut(runs, (shorter) => write(shorter, { scale, width, wrap: "word-char" }), height);
}

/** As much of the first run as fits, and an ellipsis; the next runs stay. */
async function cut(
  [first, ...rest]: readonly Run[],
  writeRuns: (runs: readonly Run[]) => Promise<Written>,
  height: number,
): Promise<Written> {
  if (!first) return writeRuns([]);
  const letters = [...new Intl.Segmenter().segment(first.text)].map(({ segment }) => segment);
  const shorten = (count: number): Run[] => [
    { ...first, text: `${letters.slice(0, count).join("").trimEnd()}…` },
    ...rest,
  ];
  let [fits, tooMany] = [0, letters.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if ((await writeRuns(shorten(middle))).height <= height) fits = middle;
    else tooMany = middle;
  }
  return writeRuns(shorten(fits));
}

async function write(runs: readonly Run[], { scale, width, wrap }: Setting): Promise<Written> {
  const text = runs.map(markup).join("");
  const { data, info } = await sharp({
    text: { text, font: "Onest", width, wrap, rgba: true, dpi: Math.round(72 * scale) },
  })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
  return { input: data, width: info.width, height: info.height };
}

/** Source: https://docs.gtk.org/Pango/pango_markup.html */
function markup({ text, size, colour, bold = false, struck = false }: Run): string {
  const attributes = [
    `font_size="${Math.round(size * 1024)}"`,
    `foreground="${colour}"`,
    `font_weight="${bold ? 700 : 400}"`,
    `line_height="0.92"`,
    ...(struck ? [`strikethrough="true"`] : []),
  ];
  return `<span ${attributes.join(" ")}>${escapeMarkup(text)}</span>`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

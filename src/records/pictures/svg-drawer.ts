// Draws SVG for draw-svg.ts, in a process of its own.
import sharp from "sharp";
import type { DrawnSvg, DrawOptions } from "./draw-svg.ts";

/** Ends the process even in the middle of a drawing, when nothing else would. */
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

process.on("message", async ({ bytes, ...options }: { bytes: Uint8Array } & DrawOptions) => {
  try {
    process.send?.(await draw(Buffer.from(bytes), options));
  } catch {
    process.send?.({ isDamaged: true });
  }
});

async function draw(bytes: Buffer, { side, mostSide }: DrawOptions): Promise<DrawnSvg> {
  const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (Math.max(width, height) > mostSide) return { width, height };
  const density = Math.min(2_400, Math.max(1, (72 * side) / Math.max(width, height)));
  const picture = await sharp(bytes, { density, failOn: "truncated" })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { width, height, picture };
}

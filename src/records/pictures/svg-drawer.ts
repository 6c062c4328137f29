// Draws SVG for draw-svg.ts, in a process of its own.
import sharp from "sharp";
import type { DrawnSvg, GivenSvg } from "./draw-svg.ts";
import { answerDrawings } from "./drawing-process.ts";

answerDrawings(async ({ bytes, side, mostSide }: GivenSvg): Promise<DrawnSvg> => {
  const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (Math.max(width, height) > mostSide) return { width, height };
  const density = Math.min(2_400, Math.max(1, (72 * side) / Math.max(width, height)));
  const picture = await sharp(bytes, { density, failOn: "truncated" })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { width, height, picture };
});

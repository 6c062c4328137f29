import { DrawingProcess } from "./drawing-process.ts";

/** An SVG as pixels, with the size that it declares. */
export interface DrawnSvg {
  readonly width: number;
  readonly height: number;
  /** As PNG; undefined if the size is beyond the limit for drawing. */
  readonly picture?: Uint8Array;
}

interface DrawOptions {
  /** The longest side of the result, in pixels, whatever size the file declares. */
  readonly side: number;
  /** The maximum of a file's declared side; larger files are not drawn. */
  readonly mostSide: number;
}

export type GivenSvg = DrawOptions & { readonly bytes: Uint8Array };

/** A typical drawing takes a hundredth of a second, but a few lines of SVG can take hours. */
const drawer = new DrawingProcess<GivenSvg, DrawnSvg>(new URL("./svg-drawer.ts", import.meta.url), {
  mostMs: 10_000,
});

/** Draws an SVG in a process of its own. */
export function drawSvg(bytes: Buffer, options: DrawOptions): Promise<DrawnSvg | "failed" | "too slow"> {
  return drawer.draw({ bytes, ...options });
}

import { DrawingProcess } from "../../records/pictures/drawing-process.ts";

/** A text in one style. */
export interface Run {
  readonly text: string;
  /** Height of its letters in pixels, if all of them fit. */
  readonly size: number;
  /** `#rrggbb` */
  readonly colour: string;
  readonly bold?: boolean;
  readonly struck?: boolean;
}

/**
 * Runs that follow each other on one or several lines. `height` is their maximum, `gap` the distance to the block
 * above.
 */
export interface Block {
  readonly runs: readonly Run[];
  readonly height: number;
  readonly gap: number;
}

/** Blocks below each other in an area of the picture, from its start or up to its end. */
export interface Stack {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly align: "start" | "end";
  readonly blocks: readonly Block[];
}

/** A picture in a square area; `room` is the margin around one that is not opaque. */
export interface PlacedPicture {
  readonly bytes: Uint8Array;
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly radius: number;
  readonly room: number;
}

/** The layers of a picture, from the background up; in pixels. */
export interface Drawing {
  /** SVG without text, because texts of records must never become markup. */
  readonly background: string;
  readonly width: number;
  readonly height: number;
  readonly pictures: readonly PlacedPicture[];
  readonly stacks: readonly Stack[];
  /** Font files for all texts. */
  readonly fonts: readonly string[];
  /** The maximum size of the JPEG. */
  readonly mostBytes: number;
}

/** Pages have priority. With 10, a process among ten busy ones got a fiftieth of a core, and drew nothing in time. */
const NICE = 5;

/** A typical drawing takes a tenth of a second, and a hundred times as long where all cores are busy. */
const drawer = new DrawingProcess<Drawing, Uint8Array>(new URL("./draw.ts", import.meta.url), {
  mostMs: 30_000,
  nice: NICE,
});

/**
 * Draws a picture as JPEG, in a process with a low priority, because it takes a core for a tenth of a second.
 * @throws Error if it cannot draw it
 */
export async function drawPicture(drawing: Drawing): Promise<Buffer> {
  const drawn = await drawer.draw(drawing);
  if (typeof drawn === "string") throw new Error(`a preview was not drawn: ${drawn}`);
  return Buffer.from(drawn);
}

import { COLOURS, shade } from "./colours.ts";

/**
 * A drawing is a text of one shape a line, or between semicolons, on a square of 128 by 128 units:
 *
 *     steel r 10 20 30 8 2      a rectangle: x, y, width, height and, if its corners are round, their radius
 *     steel c 64 64 12          a circle: its middle and radius
 *     steel e 64 64 20 8        an ellipse: its middle and two radii
 *     steel p M10 20L30 40Z     a path
 *     steel/3 p M10 20L30 40    the same as a line, 3 wide
 *     ( rotate(-30 64 64)       begins a group, which ")" ends
 *
 * A colour is a name of colours.ts or #rrggbb. Each `+` after it makes it lighter and each `-` darker, `!` fills evenly
 * (without it, light falls from the upper left), and `%40` lets what is behind shine through.
 */
export type Drawing = string;

interface Paint {
  readonly fill: (colour: string, flat: boolean) => string;
  readonly stroke: (colour: string) => string;
}

const WORD = /^(#[0-9a-f]{6}|[a-z]+)([+-]*)(!?)(?:%(\d+))?(?:\/([\d.]+))?$/;
const STEP = 0.17;

/** SVG shapes, and the gradients that they fill with. */
export function draw(drawing: Drawing): { shapes: string; gradients: string } {
  const used = new Set<string>();
  const fill = (colour: string, flat: boolean) => {
    if (flat) return colour;
    used.add(colour);
    return `url(#l${colour.slice(1)})`;
  };
  const shapes = shapesOf(drawing, { fill, stroke: (colour) => colour });
  return { shapes, gradients: [...used].map(gradient).join("") };
}

/** The same shapes all in black: the shadow of a drawing. */
export function silhouette(drawing: Drawing): string {
  return shapesOf(drawing, { fill: () => "#0b1026", stroke: () => "#0b1026" });
}

function shapesOf(drawing: Drawing, paint: Paint): string {
  const lines = drawing.split(/[;\n]/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => shapeOf(line, paint))
    .join("");
}

function shapeOf(line: string, paint: Paint): string {
  if (line === ")") return "</g>";
  if (line.startsWith("(")) return `<g transform="${line.slice(1).trim()}">`;
  const [, word = "", form = "", given = ""] = /^(\S+) ([rcep]) (.+)$/.exec(line) ?? [];
  const [, name = "", steps = "", flat, opacity, width] = WORD.exec(word) ?? [];
  const base = name.startsWith("#") ? name : COLOURS[name];
  if (base === undefined) throw new Error(`no such colour or shape in a drawing: ${line}`);
  const share = [...steps].reduce((sum, step) => sum + (step === "+" ? STEP : -STEP), 0);
  const colour = share === 0 ? base : shade(base, share);
  const look =
    width === undefined
      ? `fill="${paint.fill(colour, flat === "!")}"`
      : `fill="none" stroke="${paint.stroke(colour)}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`;
  const through = opacity === undefined ? "" : ` opacity="${Number(opacity) / 100}"`;
  return `<${placeOf(form, given)} ${look}${through}/>`;
}

function placeOf(form: string, given: string): string {
  if (form === "p") return `path d="${given}"`;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = given.split(/\s+/).map((number) => round(Number(number)));
  if (form === "c") return `circle cx="${a}" cy="${b}" r="${c}"`;
  if (form === "e") return `ellipse cx="${a}" cy="${b}" rx="${c}" ry="${d}"`;
  return `rect x="${a}" y="${b}" width="${c}" height="${d}"${e > 0 ? ` rx="${e}"` : ""}`;
}

function gradient(colour: string): string {
  const stop = (offset: number, share: number) =>
    `<stop offset="${offset}" stop-color="${shade(colour, share)}"/>`;
  const light = `${stop(0, 0.22)}${stop(0.45, 0.02)}${stop(1, -0.2)}`;
  return `<linearGradient id="l${colour.slice(1)}" x1="0" y1="0" x2=".35" y2="1">${light}</linearGradient>`;
}

/** A number as short as SVG needs it. */
export function round(number: number): number {
  if (!Number.isFinite(number)) throw new Error("a drawing has a place that is no number");
  return Math.round(number * 10) / 10;
}

/** A drawing moved, turned or resized. */
export function placed(transform: string, drawing: Drawing): Drawing {
  return `( ${transform}\n${drawing}\n)`;
}

/** A drawing turned around the middle. */
export function turned(degrees: number, drawing: Drawing): Drawing {
  return placed(`rotate(${degrees} 64 64)`, drawing);
}

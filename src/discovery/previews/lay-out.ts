import { readFileSync } from "node:fs";
import path from "node:path";
import { cutText } from "../../words/text/cut.ts";
import type { PreviewCard, PreviewFact, PreviewFigure, PreviewGlyph } from "./card.ts";
import { PREVIEW_SIZE } from "./card.ts";
import type { Block, Drawing, PlacedPicture, Run, Stack } from "./drawer.ts";
import { FONT_FILES, writable } from "./font.ts";

/** Chats load no larger ones on mobile networks, and Telegram none at all above a few megabytes. */
const MOST_BYTES = 60_000;

const PAPER = "#0e2625";
const RAISED = "#1a3d3b";
const LINE = "#ffffff";
const INK = "#f6f2e7";
const MUTED = "#b3cbc5";

const LEFT = 76;
const TOP = 62;
const BOTTOM = 568;
/** The area of the record's picture. */
const PLACE = { x: 712, y: 105, side: 420, radius: 40 } as const;
const BESIDE_PLACE = PLACE.x - LEFT - 36;
const CHART = { top: 436, bottom: 630 } as const;

/** Longer texts are cut to this many characters before they are measured. */
const LONGEST = 240;

/**
 * Lays a card out. Texts of records only become runs; `pictures` are the bytes of the record's picture and the logo, if
 * any.
 */
export function layOut(
  card: PreviewCard,
  pictures: { record: Buffer | undefined; logo: Buffer | undefined },
): Drawing {
  const hasPlace = card.chart === undefined;
  const width = hasPlace ? BESIDE_PLACE : PREVIEW_SIZE.width - 2 * LEFT;
  const placed: PlacedPicture[] = [];
  if (pictures.record && hasPlace) placed.push({ bytes: pictures.record, ...PLACE, room: 10 });
  if (pictures.logo) placed.push({ bytes: pictures.logo, x: LEFT, y: TOP, side: 52, radius: 12, room: 0 });
  return {
    ...PREVIEW_SIZE,
    background: drawBackground(card, pictures.record !== undefined),
    pictures: placed,
    stacks: [siteStack(card, width), nameStack(card, width), lastStack(card, width)].map(withoutEmpty),
    fonts: FONT_FILES,
    mostBytes: MOST_BYTES,
  };
}

function siteStack({ look }: PreviewCard, width: number): Stack {
  const runs = [run(look.siteName, 30, INK, { bold: true })];
  const block = { runs, height: 46, gap: 0 };
  return { x: LEFT + 70, y: TOP + 7, width: width - 70, height: 46, align: "start", blocks: [block] };
}

function nameStack(card: PreviewCard, width: number): Stack {
  const { kicker, name, glyphs, look } = card;
  const colour = glyphs.length === 1 ? glyphs[0]?.colour : look.accent;
  const blocks: Block[] = [
    { runs: [run(kicker, 30, colour ?? INK, { bold: true })], height: 40, gap: 0 },
    { runs: [run(name, 90, INK, { bold: true })], height: heightOfName(card), gap: 14 },
  ];
  return { x: LEFT, y: 146, width, height: 330, align: "start", blocks };
}

/** The height that the lines at the foot leave for the name. */
function heightOfName({ chart, figure, facts, note }: PreviewCard): number {
  if (chart) return 112;
  if (figure) return note === undefined ? 206 : 184;
  return facts.length > 0 && note !== undefined ? 224 : 262;
}

/** A price or count, the facts, and the note, at the foot of the picture. */
function lastStack({ figure, facts, note, chart, look }: PreviewCard, width: number): Stack {
  const blocks: Block[] = [];
  if (figure) blocks.push({ runs: figureRuns(figure, look.accent), height: 84, gap: 0 });
  if (facts.length > 0 && chart === undefined) {
    const lines = figure || note !== undefined ? 1 : 2;
    blocks.push({ runs: factRuns(fitting(facts, lines)), height: lines * 44, gap: 12 });
  }
  if (note !== undefined)
    blocks.push({ runs: [run(note, figure ? 27 : 32, MUTED)], height: figure ? 40 : 130, gap: 10 });
  if (chart) return { x: LEFT, y: 318, width, height: 200, align: "start", blocks };
  return { x: LEFT, y: BOTTOM - 200, width, height: 200, align: "end", blocks };
}

function figureRuns({ text, before, badge, unit }: PreviewFigure, accent: string): Run[] {
  const runs = [run(text, 62, accent, { bold: true })];
  if (unit !== undefined) runs.push(run(` ${unit}`, 32, INK));
  if (badge !== undefined) runs.push(run(`  ${badge}`, 40, INK, { bold: true }));
  if (before !== undefined) runs.push(run("  ", 32, MUTED), run(before, 32, MUTED, { struck: true }));
  return runs;
}

/** How many characters fit on a line, approximately. */
const LINE_OF_FACTS = 36;

/** The facts that fit at a readable size: one left out is better than all of them small. */
function fitting(facts: readonly PreviewFact[], lines: number): PreviewFact[] {
  let room = lines * LINE_OF_FACTS;
  return facts.filter(({ label, text }) => {
    const length = [...label, ...text].length + 3;
    if (length > Math.min(room, LINE_OF_FACTS)) return false;
    room -= length;
    return true;
  });
}

function factRuns(facts: readonly PreviewFact[]): Run[] {
  return facts.flatMap(({ label, text }, index) => [
    run(index > 0 ? "     " : "", 29, MUTED),
    unbroken(run(`${label} `, 29, MUTED)),
    unbroken(run(text, 29, INK, { bold: true })),
  ]);
}

/** Keeps a name on one line with its value. */
function unbroken({ text, ...style }: Run): Run {
  return { text: text.replaceAll(" ", "\u00a0"), ...style };
}

/** Trims the record's own spaces. */
function run(text: string, size: number, colour: string, style: Pick<Run, "bold" | "struck"> = {}): Run {
  const [, before = "", middle = "", after = ""] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  return { text: before + cutText(writable(middle), LONGEST) + after, size, colour, ...style };
}

function withoutEmpty(stack: Stack): Stack {
  const blocks = stack.blocks.filter(({ runs }) => runs.some(({ text }) => text.trim() !== ""));
  return { ...stack, blocks };
}

function drawBackground({ glyphs, look, chart }: PreviewCard, hasPicture: boolean): string {
  const { width, height } = PREVIEW_SIZE;
  const colour = glyphs.length === 1 ? (glyphs[0]?.colour ?? look.accent) : look.accent;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<defs><radialGradient id="g" cx=".8" cy=".45" r=".75"><stop offset="0" stop-color="${colour}" stop-opacity=".38"/>`,
    `<stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`,
    `<linearGradient id="c" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colour}" stop-opacity=".55"/>`,
    `<stop offset="1" stop-color="${colour}" stop-opacity=".06"/></linearGradient></defs>`,
    `<rect width="${width}" height="${height}" fill="${PAPER}"/><rect width="${width}" height="${height}" fill="url(#g)"/>`,
    drawGrid(),
    `<rect width="14" height="${height}" fill="${look.accent}"/>`,
    chart ? drawArea(chart, colour) : drawPlace(glyphs, hasPicture, look.accent),
    "</svg>",
  ].join("");
}

/** Grid lines, as on a map sheet and on the site's start page. */
function drawGrid(): string {
  const { width, height } = PREVIEW_SIZE;
  const lines = [
    ...Array.from({ length: 15 }, (_, index) => `M${74 + index * 78} 0v${height}`),
    ...Array.from({ length: 8 }, (_, index) => `M0 ${42 + index * 78}h${width}`),
  ];
  return `<path d="${lines.join("")}" stroke="${LINE}" stroke-opacity=".045" stroke-width="2"/>`;
}

/** The panel of the picture, or the glyphs that replace it. */
function drawPlace(glyphs: readonly PreviewGlyph[], hasPicture: boolean, accent: string): string {
  const { x, y, side, radius } = PLACE;
  if (glyphs.length > 1) return drawTiles(glyphs);
  const colour = glyphs[0]?.colour ?? accent;
  const panel =
    `<rect x="${x}" y="${y}" width="${side}" height="${side}" rx="${radius}" fill="${RAISED}" ` +
    `stroke="${colour}" stroke-opacity=".55" stroke-width="3"/>`;
  const glyph = glyphs[0];
  if (hasPicture || !glyph) return panel;
  return panel + drawGlyph(glyph, { x: x + 82, y: y + 82, side: side - 164, stroke: 1.15 });
}

/** Six at most, in two columns. */
function drawTiles(glyphs: readonly PreviewGlyph[]): string {
  const shown = glyphs.slice(0, 6);
  const side = 124;
  const step = side + 18;
  const columns = shown.length > 4 ? 3 : 2;
  const rows = Math.ceil(shown.length / columns);
  const left = PLACE.x + PLACE.side - columns * step + 18;
  const top = PLACE.y + (PLACE.side - rows * step + 18) / 2;
  return shown
    .map((glyph, index) => {
      const [x, y] = [left + (index % columns) * step, top + Math.floor(index / columns) * step];
      return (
        `<rect x="${x}" y="${y}" width="${side}" height="${side}" rx="24" fill="${RAISED}" stroke="${glyph.colour}" ` +
        `stroke-opacity=".6" stroke-width="3"/>${drawGlyph(glyph, { x: x + 30, y: y + 30, side: side - 60, stroke: 1.5 })}`
      );
    })
    .join("");
}

interface GlyphPlace {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  /** Width of lines, in units of the drawing, which is 20 wide. */
  readonly stroke: number;
}

function drawGlyph({ name, colour }: PreviewGlyph, { x, y, side, stroke }: GlyphPlace): string {
  const { viewBox, shapes } = readGlyph(name);
  return (
    `<svg x="${x}" y="${y}" width="${side}" height="${side}" viewBox="${viewBox}" color="${colour}" fill="none" ` +
    `stroke="${colour}" stroke-width="${stroke}" stroke-linecap="round" stroke-linejoin="round">${shapes}</svg>`
  );
}

const SPRITE = path.join(import.meta.dirname, "../../../public/img/icons.svg");
let symbols: ReadonlyMap<string, { readonly viewBox: string; readonly shapes: string }> | undefined;

function readGlyph(name: string): { readonly viewBox: string; readonly shapes: string } {
  symbols ??= new Map(
    [
      ...readFileSync(SPRITE, "utf8").matchAll(
        /<symbol id="([^"]+)" viewBox="([^"]+)"[^>]*>(.*?)<\/symbol>/gs,
      ),
    ].map(([, id = "", viewBox = "", shapes = ""]) => [id, { viewBox, shapes }]),
  );
  return symbols.get(name) ?? { viewBox: "0 0 20 20", shapes: "" };
}

/** Counts over time as an area at the foot of the picture; gaps stay gaps. */
function drawArea(counts: readonly (number | null)[], colour: string): string {
  const most = Math.max(1, ...counts.map((count) => count ?? 0));
  const x = (index: number) => Math.round((index / Math.max(1, counts.length - 1)) * PREVIEW_SIZE.width);
  const y = (count: number) => Math.round(CHART.bottom - (count / most) * (CHART.bottom - CHART.top));
  const lines = pieces(counts).map((piece) => piece.map(([index, count]) => `${x(index)} ${y(count)}`));
  const areas = lines.map((points) => {
    const [first = "", last = ""] = [points[0], points.at(-1)].map((point) => point?.split(" ")[0]);
    return `M${first} ${CHART.bottom}L${points.join("L")}L${last} ${CHART.bottom}z`;
  });
  return (
    `<path d="${areas.join("")}" fill="url(#c)"/>` +
    `<path d="${lines.map((points) => `M${points.join("L")}`).join("")}" fill="none" stroke="${colour}" stroke-width="5" ` +
    `stroke-linejoin="round"/>`
  );
}

/** The known counts with their positions, grouped by the gaps between them. */
function pieces(counts: readonly (number | null)[]): [index: number, count: number][][] {
  const all: [number, number][][] = [];
  for (const [index, count] of counts.entries()) {
    if (count === null) continue;
    const isNext = index > 0 && counts[index - 1] !== null;
    if (isNext) all.at(-1)?.push([index, count]);
    else all.push([[index, count]]);
  }
  return all;
}

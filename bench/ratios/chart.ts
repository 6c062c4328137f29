import { holds, type Row } from "./table.ts";

const HEIGHT = 22;
const LEFT = 190;
const WIDTH = 460;
/** The bars' scale is logarithmic, from a thousandth of the target to ten times as much. */
const DECADES = { below: 3, above: 1 };

/** A bar a line: its ratio as a share of its target, which is the upright line. */
export function chartOf(rows: readonly Row[]): string {
  const height = (rows.length + 1) * HEIGHT;
  const target = at(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 60} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${rows.map(barOf).join("\n")}
<path d="M${target} 0V${height - HEIGHT}" stroke="#333"/>
<text x="${target}" y="${height - 6}" text-anchor="middle">target</text>
</svg>
`;
}

function barOf(row: Row, index: number): string {
  const { line, figures } = row;
  const top = index * HEIGHT;
  const end = at(figures.ratio / line.target);
  return [
    `<text x="${LEFT - 8}" y="${top + 16}" text-anchor="end">${line.name}</text>`,
    `<rect x="${LEFT}" y="${top + 4}" width="${Math.round(end - LEFT)}" height="${HEIGHT - 6}" fill="${holds(row) ? "#2a7d4f" : "#b5502e"}"/>`,
    `<text x="${Math.round(end) + 4}" y="${top + 16}">${figures.ratio.toPrecision(2)}</text>`,
  ].join("");
}

function at(share: number): number {
  const decades = Math.min(DECADES.above, Math.max(-DECADES.below, Math.log10(share)));
  return Math.round(LEFT + (WIDTH * (decades + DECADES.below)) / (DECADES.below + DECADES.above));
}

import { readFileSync } from "node:fs";
import path from "node:path";
import type * as culori from "culori";
import { loadCulori } from "../../settings/look.ts";
import { tintClass } from "../../words/vocabulary/tint.ts";

/** A colour of the design in the light and the dark theme. */
export interface Token {
  readonly light: string;
  readonly dark: string;
}

const TOKENS = path.join(import.meta.dirname, "../../../public/css/web/tokens.css");

/** Source: https://www.w3.org/TR/WCAG22/#contrast-minimum */
const LEAST_CONTRAST = 4.5;
const STEP = 0.005;

/** Backgrounds of text in the accent colour. */
export const GROUNDS = ["paper", "surface", "sunken"];
const BAND_GROUNDS = ["band", "band-raised"];

/**
 * The style sheet that makes an operator's colour (`#rrggbb`) the site's accent, in the light and the dark theme. Goes
 * after the design's own sheets.
 */
export function accentStyle(accent: string): string {
  const light = declarations(accent, "light");
  const dark = declarations(accent, "dark");
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root{${dark}}}`,
    `:root[data-theme=light]{${light}}`,
    `:root[data-theme=dark]{${dark}}`,
  ].join("\n");
}

function declarations(accent: string, theme: keyof Token): string {
  const shown = readable(accent, theme, GROUNDS);
  const onBand = bandAccent(accent, theme);
  const values = {
    accent: shown,
    "on-accent": inkOn(shown),
    "band-accent": onBand,
    "on-band-accent": inkOn(onBand),
  };
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

/** The accent on the band at the top of a page, which is dark in both themes. */
export function bandAccent(accent: string, theme: keyof Token = "dark"): string {
  return readable(accent, "dark", BAND_GROUNDS, theme);
}

/** The colour, darkened (`light`) or lightened (`dark`) until text in it is readable on all grounds. */
export function readable(
  accent: string,
  on: keyof Token,
  grounds: string[],
  theme: keyof Token = on,
): string {
  const behind = grounds.map((name) => token(name)[theme]);
  const step = on === "light" ? -STEP : STEP;
  const { formatHex, oklch, toGamut, wcagContrast } = loadCulori();
  const intoScreen = toGamut("rgb", "oklch");
  const wanted = oklch(accent) as culori.Oklch;
  for (let l = Math.min(Math.max(wanted.l, STEP), 1 - STEP); l > 0 && l < 1; l += step) {
    const shown = formatHex(intoScreen({ ...wanted, l }));
    if (behind.every((ground) => wcagContrast(shown, ground) >= LEAST_CONTRAST)) return shown;
  }
  return on === "light" ? "#000000" : "#ffffff";
}

/** Black or white: one of the two always has a contrast of at least 4.58. */
function inkOn(colour: string): string {
  return loadCulori().wcagContrast(colour, "#fff") >= LEAST_CONTRAST ? "#ffffff" : "#000000";
}

/** The style sheet of an operator's colours for names and values, each adjusted until it is readable in both themes. */
export function tintsStyle(colours: readonly string[]): string {
  return colours
    .map((colour) => {
      const { light, dark } = inThemes(loadCulori().formatHex(colour) ?? "#000000");
      return `.${tintClass(colour)}{--own:light-dark(${light},${dark})}`;
    })
    .join("\n");
}

/** The same for the colours of the operator's own kinds, see badge.css. */
export function kindsStyle(colours: readonly (readonly [kind: string, colour: string])[]): string {
  return colours
    .map(([kind, colour]) => {
      const { light, dark } = inThemes(loadCulori().formatHex(colour) ?? "#000000");
      return `[data-kind="${kind}"]{--kind:light-dark(${light},${dark})}`;
    })
    .join("\n");
}

/** The colours of a class of the sheet, for pages without the sheet. */
export function computeColours(tint: string): { light: string; dark: string } {
  return inThemes(`#${tint.slice(tintClass("#000000").length - 6)}`);
}

function inThemes(own: string): { light: string; dark: string } {
  return { light: readable(own, "light", GROUNDS), dark: readable(own, "dark", GROUNDS) };
}

/**
 * A colour of the design from the style sheet of tokens.
 * @throws Error if the sheet has no colour of this name
 */
export function token(name: string): Token {
  const sheet = readFileSync(TOKENS, "utf8");
  const [, value] = new RegExp(`--${name}:\\s*([^;]+);`).exec(sheet) ?? [];
  if (value === undefined) throw new Error(`${TOKENS} has no --${name}`);
  const [, light, dark] = /^light-dark\(((?:[^(),]|\([^)]*\))+),\s*(.+)\)$/.exec(value) ?? [];
  return { light: light ?? value, dark: dark ?? value };
}

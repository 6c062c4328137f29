import type * as culori from "culori";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { type Token, token } from "./tokens.ts";

const loadCulori = lazyPackage<typeof culori>("culori");

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

/** The accent on the band at the top of a page, which is dark in the light theme too. */
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

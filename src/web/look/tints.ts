import type * as culori from "culori";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { tintClass } from "../../words/vocabulary/tint.ts";
import { GROUNDS, readable } from "./accent.ts";

const loadCulori = lazyPackage<typeof culori>("culori");

/**
 * The style sheet of an operator's colours for names and values, each darkened or lightened until it can be read in
 * the light and the dark theme.
 */
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

/** The colours that a class of the sheet stands for, for pages that do not have the sheet. */
export function computeColours(tint: string): { light: string; dark: string } {
  return inThemes(`#${tint.slice(tintClass("#000000").length - 6)}`);
}

function inThemes(own: string): { light: string; dark: string } {
  return { light: readable(own, "light", GROUNDS), dark: readable(own, "dark", GROUNDS) };
}

import { formatHex } from "culori";
import { tintClass } from "../vocabulary/tint.ts";
import { GROUNDS, readable } from "./accent.ts";

/**
 * The style sheet of an operator's colours for names and values, each darkened or lightened until it can be read in
 * the light and the dark theme.
 */
export function tintsStyle(colours: readonly string[]): string {
  return colours
    .map((colour) => {
      const own = formatHex(colour) ?? "#000000";
      const [light, dark] = [readable(own, "light", GROUNDS), readable(own, "dark", GROUNDS)];
      return `.${tintClass(colour)}{--own:light-dark(${light},${dark})}`;
    })
    .join("\n");
}

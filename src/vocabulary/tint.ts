import { formatHex } from "culori";

/** The class of names and values in a colour: `tint-b3341b`. Its rule is in the style sheet of tints (src/site/tints.ts). */
export function tintClass(colour: string): string {
  return `tint-${(formatHex(colour) ?? "#000000").slice(1)}`;
}

import { fold } from "./fold.ts";
import type { Random } from "./random.ts";

/** The letters, by code point. */
export function lettersOf(text: string): string[] {
  return [...text];
}

/**
 * The beginning of a name, as far as somebody has typed it: from `shortest` letters to 60 % of the name, sometimes in
 * lower case. Undefined where the name is too short for that.
 */
export function cutName(name: string, shortest: number, random: Random): string | undefined {
  const letters = lettersOf(name);
  const longest = Math.floor(letters.length * 0.6);
  if (longest < shortest) return undefined;
  const cut = letters.slice(0, random.between(shortest, longest)).join("");
  if (fold(cut).length < shortest) return undefined;
  return random.next() < 0.5 ? cut : cut.toLowerCase();
}

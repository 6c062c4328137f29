/// <reference path="./opencc-dictionaries.d.ts" />
import SIMPLIFICATIONS from "opencc-js/dict/TSCharacters";

/** OpenCC's table, as it came. */
export { SIMPLIFICATIONS };

/** Simplified characters by their traditional ones, those of 16 bits. */
const SIMPLIFIED = new Map(
  SIMPLIFICATIONS.split("|")
    .map((pair) => pair.split(" ") as [string, string])
    .filter(([traditional, simplified]) => traditional.length === 1 && simplified.length === 1),
);

const HAN = /[\u3400-\u9fff]/g;

/** Writes Chinese text in simplified characters, one for one. Japanese has some of the traditional ones, too. */
export function toSimplified(text: string): string {
  return text.replace(HAN, (character) => SIMPLIFIED.get(character) ?? character);
}

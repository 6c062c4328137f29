/// <reference path="./opencc-dictionaries.d.ts" />
import { createRequire } from "node:module";
import type * as dictionary from "opencc-js/dict/TSCharacters";

const require = createRequire(import.meta.url);

/** OpenCC's table, unchanged; read at the first Chinese text. */
export function readSimplifications(): string {
  return (require("opencc-js/dict/TSCharacters") as typeof dictionary).default;
}

let known: ReadonlyMap<string, string> | undefined;

/** Simplified characters by their traditional ones, those of 16 bits. */
function listSimplified(): ReadonlyMap<string, string> {
  return new Map(
    readSimplifications()
      .split("|")
      .map((pair) => pair.split(" ") as [string, string])
      .filter(([traditional, simplified]) => traditional.length === 1 && simplified.length === 1),
  );
}

const HAN = /[\u3400-\u9fff]/g;

/** Writes Chinese text in simplified characters, one for one. Japanese has some of the traditional ones, too. */
export function toSimplified(text: string): string {
  return text.replace(HAN, (character) => {
    known ??= listSimplified();
    return known.get(character) ?? character;
  });
}

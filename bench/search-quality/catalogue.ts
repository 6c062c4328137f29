import english from "dictionary-en";
import russian from "dictionary-ru";
import type { Knex } from "knex";
import { fold, type Script, scriptOf } from "./fold.ts";

const DICTIONARIES = { en: english, ru: russian };
const DICTIONARY_WORD = { en: /^[a-z]{5,12}$/, ru: /^[а-я]{5,12}$/ };
type DictionaryLanguage = keyof typeof DICTIONARIES;

export interface CatalogueRecord {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category?: string | null;
  attributes?: Record<string, unknown>;
}

/** One of a record's names, as query makers draw it. */
export interface CatalogueName {
  id: string;
  text: string;
  folded: string;
  /** The locale's language; by default `en` for Latin letters, `ru` for Cyrillic ones, else `other`. */
  language: string;
  script: Script;
  category: string | null;
  /** Texts of attributes that many records share. */
  values: readonly string[];
}

/** Which records are right answers, and how many there are. */
export interface Relevance {
  includes(id: string): boolean;
  count: number;
}

/** All names of one kind of the catalogue, with what is needed to tell which answers are right. */
export class Catalogue {
  /** Every different name of a language once, however many records share it. */
  readonly names: CatalogueName[];
  readonly #idsOf = new Map<string, Set<string>>();
  readonly #sorted: string[];
  readonly #words: string[];
  #said: readonly (readonly [id: string, words: ReadonlySet<string>])[] | undefined;
  readonly #ordinary = new Map<DictionaryLanguage, readonly string[]>();

  constructor(records: readonly CatalogueRecord[]) {
    const different = new Map<string, CatalogueName>();
    const keys = sharedKeys(records);
    for (const name of records.flatMap((record) => namesOf(record, keys))) {
      const key = `${name.language}\n${name.folded}`;
      if (!different.has(key)) different.set(key, name);
      this.#idsOf.set(name.folded, (this.#idsOf.get(name.folded) ?? new Set()).add(name.id));
    }
    this.names = [...different.values()];
    this.#sorted = [...this.#idsOf.keys()].sort();
    this.#words = [...new Set(this.#sorted.flatMap((name) => name.split(" ")))].sort();
  }

  /** The records with exactly this name, in any language. */
  named(text: string): Relevance {
    return relevanceOf(this.#idsOfName(fold(text)));
  }

  /** The records with a name that begins with the text. */
  beginning(text: string): Relevance {
    const prefix = fold(text);
    const first = firstFrom(this.#sorted, prefix);
    let end = first;
    while (this.#sorted[end]?.startsWith(prefix)) end++;
    return relevanceOf(this.#sorted.slice(first, end).flatMap((name) => this.#idsOfName(name)));
  }

  /** The records with a name that holds all of these as beginnings of words. */
  withWords(beginnings: readonly string[]): Relevance {
    const folded = beginnings.map(fold);
    return this.where((name) => beginsWords(name, folded));
  }

  /** The records that have each of these words in a name, a category or a value. */
  saying(words: readonly string[]): Relevance {
    this.#said ??= this.names.map(({ id, folded, category, values }) => {
      return [id, new Set([folded, fold(category ?? ""), ...values.map(fold)].join(" ").split(" "))];
    });
    return relevanceOf(
      this.#said.filter(([, said]) => words.every((word) => said.has(word))).map(([id]) => id),
    );
  }

  /** The records with a folded name of which this is true. */
  where(isMeant: (folded: string) => boolean): Relevance {
    return relevanceOf(this.#sorted.filter(isMeant).flatMap((name) => this.#idsOfName(name)));
  }

  /** Words of a language that are in no name, not even with other letters around them. */
  ordinaryWords(language: DictionaryLanguage): readonly string[] {
    let words = this.#ordinary.get(language);
    if (!words) {
      const all = ` ${this.#sorted.map((name) => name.replaceAll(" ", "")).join(" ")} `;
      words = readDictionary(language).filter((word) => !all.includes(fold(word)));
      this.#ordinary.set(language, words);
    }
    return words;
  }

  /**
   * Whether a misspelt text still has a meaning: an empty one, or the beginnings of words in another record's name.
   */
  isAmbiguous(text: string, meant: Relevance): boolean {
    const folded = fold(text);
    if (folded === "") return true;
    const beginnings = folded.split(" ");
    if (!beginnings.every((beginning) => this.#beginsWord(beginning))) return false;
    return this.#sorted.some(
      (name) => beginsWords(name, beginnings) && !this.#idsOfName(name).every((id) => meant.includes(id)),
    );
  }

  /** Whether any name holds the text anywhere, spaces aside. */
  holdsLetters(text: string): boolean {
    const letters = fold(text).replaceAll(" ", "");
    return this.#sorted.some((name) => name.replaceAll(" ", "").includes(letters));
  }

  #idsOfName(folded: string): string[] {
    return [...(this.#idsOf.get(folded) ?? [])];
  }

  #beginsWord(beginning: string): boolean {
    return this.#words[firstFrom(this.#words, beginning)]?.startsWith(beginning) ?? false;
  }
}

/** Everything of one kind that the database holds. */
export async function readCatalogue(db: Knex, kind: string): Promise<CatalogueRecord[]> {
  return db(kind).select("id", "name", "names", "category", "attributes").orderBy("id");
}

/** The attributes with a few short texts that records share. */
function sharedKeys(records: readonly CatalogueRecord[]): string[] {
  const texts = records.flatMap(({ attributes = {} }) =>
    Object.entries(attributes).filter((entry): entry is [string, string] => isText(entry[1])),
  );
  return [...Map.groupBy(texts, ([key]) => key)].flatMap(([key, all]) => {
    const different = new Set(all.map(([, text]) => text));
    const areFew = different.size > 1 && different.size <= 30 && all.length > different.size;
    return areFew && [...different].every(({ length }) => length <= 30) ? [key] : [];
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function namesOf(record: CatalogueRecord, keys: readonly string[]): CatalogueName[] {
  const names = Object.entries(record.names).map(([locale, text]) => toName(record, keys, text, locale));
  if (!names.some(({ text }) => text === record.name)) names.unshift(toName(record, keys, record.name));
  return names.filter(({ folded }) => folded !== "");
}

function toName(
  { id, category = null, attributes = {} }: CatalogueRecord,
  keys: readonly string[],
  text: string,
  locale?: string,
): CatalogueName {
  const script = scriptOf(text);
  const guess = { latin: "en", cyrillic: "ru", mixed: "other", other: "other" }[script];
  const language = locale?.split(/[-_]/)[0] ?? guess;
  const values = keys.map((key) => attributes[key]).filter(isText);
  return { id, text, folded: fold(text), script, language, category, values };
}

export function relevanceOf(found: Iterable<string>): Relevance {
  const ids = new Set(found);
  return { includes: (id) => ids.has(id), count: ids.size };
}

function beginsWords(name: string, beginnings: readonly string[]): boolean {
  return beginnings.every((beginning) => ` ${name}`.includes(` ${beginning}`));
}

/** The place of the first of sorted texts that is not before another. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The words of a language's Hunspell dictionary in their basic form, without names of persons and places. */
function readDictionary(language: DictionaryLanguage): string[] {
  const lines = Buffer.from(DICTIONARIES[language].dic).toString("utf8").split("\n").slice(1);
  const words = lines.map((line) => line.split("/")[0]?.trim() ?? "");
  return words.filter((word) => DICTIONARY_WORD[language].test(word));
}

import type { Knex } from "knex";
import { fold, type Script, scriptOf } from "./fold.ts";
import { type DictionaryLanguage, readDictionary } from "./ordinary-words.ts";

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
    this.#sorted = [...this.#idsOf.keys()].sort(byCodeUnit);
    this.#words = [...new Set(this.#sorted.flatMap((name) => name.split(" ")))].sort(byCodeUnit);
  }

  /** The records with exactly this name, in any language. */
  named(text: string): Relevance {
    return toRelevance(this.#idsOf.get(fold(text)) ?? []);
  }

  /** The records with a name that begins with the text. */
  beginning(text: string): Relevance {
    return toRelevance(this.#idsBeginning(fold(text)));
  }

  /** The records with a name that holds all of these as beginnings of words. */
  withWords(beginnings: readonly string[]): Relevance {
    const folded = beginnings.map(fold);
    return toRelevance(this.#idsWhere((name) => beginsWords(name, folded)));
  }

  /** The records with a name that has one of these words whole. */
  withSomeWord(words: readonly string[]): Relevance {
    const sought = words.map((word) => ` ${fold(word)} `);
    return toRelevance(this.#idsWhere((name) => sought.some((word) => ` ${name} `.includes(word))));
  }

  /** The records that have each of these words in a name, a category or a value. */
  saying(words: readonly string[]): Relevance {
    this.#said ??= this.names.map(({ id, folded, category, values }) => {
      return [id, new Set([folded, fold(category ?? ""), ...values.map(fold)].join(" ").split(" "))];
    });
    return toRelevance(
      this.#said.filter(([, said]) => words.every((word) => said.has(word))).map(([id]) => id),
    );
  }

  /** The records with a name whose words begin with these letters. */
  withInitials(letters: string): Relevance {
    return toRelevance(
      this.#idsWhere(
        (name) =>
          name
            .split(" ")
            .map((word) => word[0])
            .join("") === letters,
      ),
    );
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

  /** The records with a name that holds the text anywhere. */
  holding(text: string): Relevance {
    const part = fold(text);
    return toRelevance(this.#idsWhere((name) => name.includes(part)));
  }

  /**
   * Whether a misspelt text still has a meaning: an empty one, or the beginnings of words in another record's name.
   */
  isAmbiguous(text: string, meant: Relevance): boolean {
    const folded = fold(text);
    if (folded === "") return true;
    const beginnings = folded.split(" ");
    if (!beginnings.every((beginning) => this.#beginsWord(beginning))) return false;
    for (const id of this.#idsWhere((name) => beginsWords(name, beginnings))) {
      if (!meant.includes(id)) return true;
    }
    return false;
  }

  /** Whether any name holds the text anywhere, spaces aside. */
  holdsLetters(text: string): boolean {
    const letters = fold(text).replaceAll(" ", "");
    return this.#sorted.some((name) => name.replaceAll(" ", "").includes(letters));
  }

  *#idsWhere(isRight: (foldedName: string) => boolean): Generator<string> {
    for (const name of this.#sorted) if (isRight(name)) yield* this.#idsOf.get(name) ?? [];
  }

  *#idsBeginning(prefix: string): Generator<string> {
    for (let index = firstFrom(this.#sorted, prefix); index < this.#sorted.length; index++) {
      const name = this.#sorted[index] ?? "";
      if (!name.startsWith(prefix)) return;
      yield* this.#idsOf.get(name) ?? [];
    }
  }

  #beginsWord(beginning: string): boolean {
    return this.#words[firstFrom(this.#words, beginning)]?.startsWith(beginning) ?? false;
  }
}

/** Everything of one kind that the database holds. */
export async function readCatalogue(db: Knex, kind: string): Promise<CatalogueRecord[]> {
  return db(kind).select("id", "name", "names", "category", "attributes").orderBy("id");
}

/** The attributes with a few texts that records share. */
function sharedKeys(records: readonly CatalogueRecord[]): string[] {
  const texts = new Map<string, { different: Set<string>; count: number }>();
  for (const { attributes = {} } of records) {
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value !== "string" || value === "") continue;
      const known = texts.get(key) ?? { different: new Set(), count: 0 };
      texts.set(key, { different: known.different.add(value), count: known.count + 1 });
    }
  }
  return [...texts]
    .filter(
      ([, { different, count }]) => different.size > 1 && different.size <= 30 && count > different.size,
    )
    .filter(([, { different }]) => [...different].every((text) => text.length <= 30))
    .map(([key]) => key);
}

function namesOf(record: CatalogueRecord, keys: readonly string[]): CatalogueName[] {
  const { name, names } = record;
  const labelled = Object.entries(names).map(([locale, text]) => toName(record, keys, text, locale));
  const isLabelled = labelled.some(({ text }) => text === name);
  return (isLabelled ? labelled : [toName(record, keys, name), ...labelled]).filter(
    ({ folded }) => folded !== "",
  );
}

function toName(
  { id, category = null, attributes = {} }: CatalogueRecord,
  keys: readonly string[],
  text: string,
  locale?: string,
): CatalogueName {
  const values = keys
    .map((key) => attributes[key])
    .filter((value) => typeof value === "string" && value !== "");
  const script = scriptOf(text);
  const guess = { latin: "en", cyrillic: "ru", mixed: "other", other: "other" }[script];
  const language = locale?.split(/[-_]/)[0] ?? guess;
  return { id, text, folded: fold(text), script, language, category, values: values as string[] };
}

function toRelevance(found: Iterable<string>): Relevance {
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
    if (byCodeUnit(sorted[middle] ?? "", text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

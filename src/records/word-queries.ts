import type { Versions } from "../db/change-feed.ts";
import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { catalogueKinds } from "../words/kinds/kinds.ts";
import type { LiveVocabulary } from "../words/vocabulary/live.ts";
import type { KindWords, VocabularyFile } from "../words/vocabulary/schema.ts";

/** The label in imported records of a category (`key` is blank) or an attribute's value, in a language. */
interface WordRow {
  kind: string;
  key: string;
  value: string;
  language: string;
  label: string;
}

/** Copies the labels of records into the vocabulary if they changed. */
export async function followWords(db: Db, vocabulary: LiveVocabulary, { words }: Versions): Promise<void> {
  if (words !== vocabulary.wordsVersion) vocabulary.takeWords(words, await readWords(db));
}

/**
 * The imported labels of records as a vocabulary. A category's label is the same in all kinds, from the first kind that
 * has one.
 */
async function readWords(db: Db): Promise<VocabularyFile> {
  const rows = await selectRows<WordRow>(
    db,
    `select kind, key, value, language, label from catalogue_words
      order by array_position(?::text[], kind) desc nulls first, kind, key, value, language`,
    [catalogueKinds()],
  );
  const categories = new Map<string, Record<string, string>>();
  const kinds = new Map<string, Map<string, Map<string, Record<string, string>>>>();
  for (const { kind, key, value, language, label } of rows) {
    const values = key === "" ? categories : of(of(kinds, kind), key);
    labelsOf(values, value)[language] = label;
  }
  return {
    categories: labelled(categories),
    kinds: Object.fromEntries(
      catalogueKinds().flatMap((kind): [string, KindWords][] => {
        const attributes = [...(kinds.get(kind) ?? [])].map(([key, values]) => [
          key,
          { values: labelled(values) },
        ]);
        return attributes.length === 0 ? [] : [[kind, { attributes: Object.fromEntries(attributes) }]];
      }),
    ),
  };
}

function labelled(values: ReadonlyMap<string, Record<string, string>>) {
  return Object.fromEntries([...values].map(([value, label]) => [value, { label }]));
}

function labelsOf(values: Map<string, Record<string, string>>, value: string): Record<string, string> {
  const known = values.get(value) ?? {};
  values.set(value, known);
  return known;
}

function of<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = maps.get(key) ?? new Map<string, Value>();
  maps.set(key, known);
  return known;
}

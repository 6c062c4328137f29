import { LANGUAGES } from "../words/i18n/languages.ts";
import { translate } from "../words/i18n/translate.ts";
import type { IndexedKind } from "../words/kinds/searchable-kinds.ts";
import type { RecordToIndex } from "./index/records.ts";

/** What a record of a kind is called, in all languages of the site: people type it beside the name. */
export function kindWords(kind: IndexedKind): string[] {
  const words = LANGUAGES.flatMap((language) => {
    const t = translate(language);
    return [t(`kinds.${kind}.one`), t(`kinds.${kind}.many`)];
  });
  return [...new Set(words)];
}

/** What values are called in other languages, by the values as records have them. */
export type ValueLabels = ReadonlyMap<string, readonly string[]>;

/** Adds to the values of records what these are called in other languages, and what records of the kind are called. */
export function withKindWords(
  words: readonly string[],
  labels: ValueLabels,
): (records: readonly RecordToIndex[]) => RecordToIndex[] {
  return (records) =>
    records.map((record) => {
      const values = record.values ?? [];
      return {
        ...record,
        values: [...values, ...values.flatMap((value) => labels.get(value) ?? []), ...words],
      };
    });
}

import { LANGUAGES } from "../i18n/languages.ts";
import { translate } from "../i18n/translate.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { RecordToIndex } from "./index/records.ts";

/** What a record of a kind is called, in all languages of the site: people type it beside the name. */
export function kindWords(kind: CatalogueKind): string[] {
  const words = LANGUAGES.flatMap((language) => {
    const t = translate(language);
    return [t(`kinds.${kind}.one`), t(`kinds.${kind}.many`)];
  });
  return [...new Set(words)];
}

/** Adds what records of a kind are called to the values of some of them. */
export function withKindWords(
  words: readonly string[],
): (records: readonly RecordToIndex[]) => RecordToIndex[] {
  return (records) => records.map((record) => ({ ...record, values: [...(record.values ?? []), ...words] }));
}

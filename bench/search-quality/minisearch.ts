import MiniSearch from "minisearch";
import type { CatalogueRecord } from "./catalogue.ts";
import { fold } from "./fold.ts";
import { ANSWERS, type Engine } from "./score.ts";

/**
 * MiniSearch as its documentation has it: a document a record with a field a language, prefix and fuzzy search, terms
 * normalised before they are indexed.
 * https://lucaong.github.io/minisearch/
 */
export function createMiniSearch(records: readonly CatalogueRecord[]): Engine {
  const locales = [...new Set(records.flatMap(({ names }) => Object.keys(names)))];
  const index = new MiniSearch<CatalogueRecord>({
    // Not `id` and `name`, which a locale may be called.
    fields: ["=id", "=name", ...locales],
    idField: "=id",
    storeFields: ["=name"],
    extractField: ({ id, name, names }, field) => ({ ...names, "=id": id, "=name": name })[field] ?? "",
    processTerm: (term) => fold(term),
    searchOptions: { prefix: true, fuzzy: 0.2 },
  });
  index.addAll(records);
  const search = (text: string) =>
    index
      .search(text)
      .slice(0, ANSWERS)
      .map((hit) => ({ id: hit.id, label: hit["=name"] }));
  return { name: "MiniSearch", search };
}

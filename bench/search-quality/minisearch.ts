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
  const index = new MiniSearch({
    idField: "id",
    fields: ["id", "name", ...locales.map((locale) => `names.${locale}`)],
    extractField: extractField,
    processTerm: (term) => fold(term),
    searchOptions: { prefix: true, fuzzy: 0.2 },
  });
  index.addAll(records);
  const nameOf = new Map(records.map(({ id, name }) => [id, name]));
  return {
    name: "MiniSearch",
    search: (text) =>
      index
        .search(text)
        .slice(0, ANSWERS)
        .map(({ id }) => ({ id, label: nameOf.get(id) ?? "" })),
  };
}

function extractField(record: CatalogueRecord, field: string): string {
  if (field.startsWith("names.")) return record.names[field.slice("names.".length)] ?? "";
  return field === "id" ? record.id : record.name;
}

import MiniSearch from "minisearch";
import type { CatalogueRecord } from "../catalogue.ts";
import { fold } from "../fold.ts";
import { ANSWERS, type Engine } from "./engine.ts";

/**
 * MiniSearch as its documentation has it: a document a record with a field a language, prefix and fuzzy search, terms
 * normalised before they are indexed. Once as it is, any word being enough, and once asking for all words.
 * https://lucaong.github.io/minisearch/
 */
export function createMiniSearches(records: readonly CatalogueRecord[]): Engine[] {
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
  const ask = (name: string, combineWith: "OR" | "AND"): Engine => ({
    name,
    search: async (text) => ({
      answers: index
        .search(text, { combineWith })
        .slice(0, ANSWERS)
        .map(({ id }) => ({ id, label: nameOf.get(id) ?? "" })),
    }),
  });
  return [ask("MiniSearch", "OR"), ask("MiniSearch, all words", "AND")];
}

function extractField(record: CatalogueRecord, field: string): string {
  if (field.startsWith("names.")) return record.names[field.slice("names.".length)] ?? "";
  return field === "id" ? record.id : record.name;
}

import { create, insertMultiple, search } from "@orama/orama";
import type { CatalogueRecord } from "../catalogue.ts";
import { fold } from "../fold.ts";
import { ANSWERS, type Engine } from "./engine.ts";

/**
 * Orama with a tolerance of one letter: a document a record with a field a language. Once as it is, any word being
 * enough, and once asking for all words. Its own tokenizer knows one language at a time and drops the letters of
 * others; this one takes the words of any. Ids are left out: with those that are paths a query took seconds.
 * https://docs.orama.com/docs/orama-js/search
 */
export async function createOramas(records: readonly CatalogueRecord[]): Promise<Engine[]> {
  const locales = [...new Set(records.flatMap(({ names }) => Object.keys(names)))];
  const fields = ["name", ...locales.map((locale) => `name_${locale}`)];
  const index = create({
    schema: Object.fromEntries(fields.map((field) => [field, "string" as const])),
    components: {
      tokenizer: {
        language: "any",
        normalizationCache: new Map(),
        tokenize: (text) => fold(text).split(" "),
      },
    },
  });
  await insertMultiple(index, records.map(toDocument), 1000);
  const ask = (name: string, threshold: 0 | 1): Engine => ({
    name,
    search: async (term) => {
      const { hits } = await search(index, { term, tolerance: 1, threshold, limit: ANSWERS });
      return { answers: hits.map(({ document }) => ({ id: document.key, label: document.name })) };
    },
  });
  return [ask("Orama", 1), ask("Orama, all words", 0)];
}

function toDocument({ id, name, names }: CatalogueRecord): Record<string, string> {
  const translated = Object.entries(names).map(([locale, text]) => [`name_${locale}`, text]);
  return { key: id, name, ...Object.fromEntries(translated) };
}

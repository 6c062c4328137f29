import { readFileSync } from "node:fs";
import type { KnownCategories } from "../http/page.ts";
import { CATALOGUE_KINDS, SEARCH_KINDS } from "../kinds/kinds.ts";

/** The language that the demo data is written in, but for names, which say theirs themselves. */
const DEMO_LANGUAGE = "en";
const SEEDS = new URL("../../seeds/demo/", import.meta.url);
const KINDS_WITH_CATEGORIES = [...CATALOGUE_KINDS, "donate-items"];

let demoCategories: Set<string> | undefined;
let searched: KnownCategories | undefined;

/**
 * For `lang`: the language of a record's own texts, such as its description. Of a demo record it is known; of all others nobody said it, and a
 * wrong one would be read out worse than none.
 */
export function textLanguage({ demo }: { demo: boolean }): string | undefined {
  return demo ? DEMO_LANGUAGE : undefined;
}

/**
 * For `lang`: the language of a category, which many records share. Known is that of the demo data's; to be asked only
 * where the site has such data, since elsewhere the same word may be one of another language.
 */
export function categoryLanguage(category: string | null | undefined): string | undefined {
  demoCategories ??= readDemoCategories(KINDS_WITH_CATEGORIES);
  return category != null && demoCategories.has(category) ? DEMO_LANGUAGE : undefined;
}

/** All categories of such data that the search box may show, and their language: in the browser it cannot ask for each. */
export function searchedCategories(): KnownCategories {
  searched ??= { lang: DEMO_LANGUAGE, names: [...readDemoCategories(SEARCH_KINDS)] };
  return searched;
}

function readDemoCategories(kinds: readonly string[]): Set<string> {
  const records = kinds.flatMap((kind): { category?: string | null }[] =>
    JSON.parse(readFileSync(new URL(`${kind}.json`, SEEDS), "utf8")),
  );
  return new Set(records.flatMap(({ category }) => category ?? []));
}

import { readFileSync } from "node:fs";
import { BUILT_IN_KINDS } from "../kinds/kinds.ts";

/** The language of the demo data, apart from names, which have their own. */
const DEMO_LANGUAGE = "en";
const SEEDS = new URL("../../seeds/demo/", import.meta.url);
const KINDS_WITH_CATEGORIES = [...BUILT_IN_KINDS, "donate-items"];

let demoCategories: Set<string> | undefined;

/** For `lang`: the language of a record's texts. Known for demo records only; with a wrong one, screen readers would mispronounce them. */
export function textLanguage({ demo }: { demo: boolean }): string | undefined {
  return demo ? DEMO_LANGUAGE : undefined;
}

/** For `lang`: the language of a category of the demo data. Ask only if the site has such data, as words are ambiguous. */
export function categoryLanguage(category: string): string | undefined {
  demoCategories ??= readDemoCategories(KINDS_WITH_CATEGORIES);
  return demoCategories.has(category) ? DEMO_LANGUAGE : undefined;
}

function readDemoCategories(kinds: readonly string[]): Set<string> {
  const records = kinds.flatMap((kind): { category?: string | null }[] =>
    JSON.parse(readFileSync(new URL(`${kind}.json`, SEEDS), "utf8")),
  );
  return new Set(records.flatMap(({ category }) => category ?? []));
}

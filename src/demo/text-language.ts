import { readFileSync } from "node:fs";

/** The language that the demo data is written in, but for names, which say theirs themselves. */
const DEMO_LANGUAGE = "en";
const SEEDS = new URL("../../seeds/demo/", import.meta.url);
const KINDS_WITH_CATEGORIES = ["items", "vehicles", "scripts", "houses", "businesses", "donate-items"];

let demoCategories: Set<unknown> | undefined;

/**
 * For `lang`: the language of a record's description. Of a demo record it is known; of all others nobody said it, and a
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
  demoCategories ??= readDemoCategories();
  return demoCategories.has(category) ? DEMO_LANGUAGE : undefined;
}

function readDemoCategories(): Set<unknown> {
  const records = KINDS_WITH_CATEGORIES.flatMap((kind): { category?: unknown }[] =>
    JSON.parse(readFileSync(new URL(`${kind}.json`, SEEDS), "utf8")),
  );
  return new Set(records.map(({ category }) => category).filter((category) => category != null));
}

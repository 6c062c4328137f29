import { createDraw } from "../../src/nicknames/random.ts";
import type { BaselineName } from "./baseline.ts";
import type { Item } from "./items.ts";
import { makeHotQueries, makeQueries, PLAIN, TYPOS } from "./queries.ts";

/** The client: anonymous, with an API key, or with a personal page. */
export type Caller = "visitor" | "key" | "user";

/** One line of the table. */
export interface Line {
  readonly name: string;
  /** Asked in turn. */
  readonly paths: readonly string[];
  readonly baseline: BaselineName;
  readonly caller: Caller;
  /** The least ratio of requests a second. */
  readonly target: number;
  /** Asks with the answer's ETag, for a 304; the baseline sends 200 bytes of JSON. */
  readonly revalidates?: boolean;
}

const HOT_DIFFERENT = 300;
/** More than one measurement of a line requests. */
const COLD = 20_000;

/** The lines of the table in its order. */
export function listLines(items: readonly Item[]): Line[] {
  const page = `/items/${items[0]?.id ?? ""}`;
  return [
    one("api-data", "/api/data", "bytes", 0.4, "key"),
    one("api-online", "/api/online", "json", 1.5, "key"),
    ...searches(items),
    one("item-page", page, "page", 1.5),
    one("item-page-user", page, "page", 0.4, "user"),
    one("items-list", "/items", "page", 1.5),
    one("servers-page", "/servers", "page", 1.5),
    one("home", "/", "page", 1.5),
    one("items-rss", "/items.rss", "bytes", 0.25),
    one("sitemap", "/sitemap.xml", "bytes", 0.25),
    one("sitemap-child", "/sitemap-items-1.xml", "bytes", 0.25),
    one("nicknames", "/api/nickname-generator?country=us&count=10", "json", 0.5),
    { ...one("304-api-data", "/api/data", "json", 1.3, "key"), revalidates: true },
    { ...one("304-item-page", page, "json", 1.3), revalidates: true },
    { ...one("304-sitemap-child", "/sitemap-items-1.xml", "json", 1.3), revalidates: true },
  ];
}

function searches(items: readonly Item[]): Line[] {
  const hot = [...new Set(makeHotQueries(items, 20 * HOT_DIFFERENT))].slice(0, HOT_DIFFERENT);
  const cold = mixed(PLAIN, items);
  const of = (
    kind: string,
    name: string,
    queries: readonly string[],
    baseline: BaselineName,
    target: number,
  ) => {
    const paths = queries.map((query) => `/api/${kind}?q=${encodeURIComponent(query)}`);
    const caller = kind === "search" ? "visitor" : "key";
    return { name: `${kind.replace("/", "-")}-${name}`, paths, baseline, target, caller } as const;
  };
  return [
    of("items/search", "one", [items[1]?.name.slice(0, 4) ?? ""], "json", 1.3),
    of("items/search", "hot", hot, "json", 1.3),
    of("items/search", "cold", cold, "row", 1),
    of("items/search", "typo", mixed(TYPOS, items), "row", 0.35),
    of("search", "hot", hot, "json", 1.3),
    of("search", "cold", cold, "row", 1),
  ];
}

/** Queries of all classes in random order, the same in every run, each once: any stretch of them is like the whole. */
function mixed(classes: readonly string[], items: readonly Item[]): string[] {
  const queries = [...new Set(classes.flatMap((name) => makeQueries(name, items, COLD)))];
  const draw = createDraw("order of queries");
  for (let last = queries.length - 1; last > 0; last--) {
    const other = draw(last + 1);
    [queries[last], queries[other]] = [queries[other] ?? "", queries[last] ?? ""];
  }
  return queries;
}

function one(
  name: string,
  path: string,
  baseline: BaselineName,
  target: number,
  caller: Caller = "visitor",
): Line {
  return { name, paths: [path], baseline, target, caller };
}

import type { Knex } from "knex";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { IndexBuilder } from "../../src/search/index/build.ts";
import { compareRank, type RecordToIndex } from "../../src/search/index/records.ts";
import { SearchIndex } from "../../src/search/index/search-index.ts";
import { LiveSearch, type LiveSearchOptions } from "../../src/search/live-search.ts";
import type { Part } from "../../src/search/marks.ts";
import type { CatalogueKind } from "../../src/words/kinds/kinds.ts";

interface Place {
  readonly db: Knex;
  readonly url: string;
}

/** The search of a site under test: it answers with everything that was committed before the query. */
export function createTestSearch({ db, url }: Place, options: Partial<LiveSearchOptions> = {}): LiveSearch {
  const log = pino({ level: "silent" });
  const feed = new ChangeFeed({ db, log, maxAgeMs: 0 });
  return new LiveSearch({ db, databaseUrl: url, feed, log, checkEachSearch: true, ...options });
}

/** For one test, a search that checks for changes only on request, like a site between two reads of its feed. */
export function openSearch(database: Place, options: Partial<LiveSearchOptions> = {}): LiveSearch {
  const search = createTestSearch(database, { checkEachSearch: false, ...options });
  onTestFinished(() => search.close());
  return search;
}

/** A record with the given fields only; its name defaults to its id. */
export function recordOf({ id, ...parts }: Partial<RecordToIndex> & { id: string }): RecordToIndex {
  return { id, name: id, names: {}, category: null, image: null, popularity: null, ...parts };
}

/** An index of records; a text is the name of one that has its place as id. */
export function indexOf(records: readonly (RecordToIndex | string)[]): SearchIndex {
  const builder = new IndexBuilder();
  const all = records.map((each, n) =>
    typeof each === "string" ? recordOf({ id: `${n}`, name: each }) : each,
  );
  for (const record of all.sort(compareRank)) builder.add(record);
  return new SearchIndex(builder.finish());
}

/** A marked name with brackets round what is marked. */
export function bracketed(parts: readonly Part[]): string {
  return parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
}

/** The ids of the first ten matches. */
export function findIds(search: LiveSearch, query: string, kind: CatalogueKind = "items"): Promise<string[]> {
  return search.ids(kind, query, 10);
}

/** `Thing thing 0`, `Thing thing 1`, …, with their numbers as ids. */
export function namedRecords(count: number, word = "Thing"): { id: string; name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: `${word} thing ${index}` }));
}

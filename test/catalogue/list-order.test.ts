import { beforeAll, describe, expect, it } from "vitest";
import { useReadKey, walkPages } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";

const site = useTestApp();
const { get } = useReadKey(site);

/** More than a query looks at before it takes another way (`LOOKED_AT` of filter-queries.ts). */
const EARLY = 21_000;
const RECORDS = 23_000;
/** All orders put these records in the order of their numbers. */
const idOf = (n: number) => `item-${String(n).padStart(5, "0")}`;
const numbers = (matches: (n: number) => boolean) =>
  Array.from({ length: RECORDS }, (_, at) => at + 1).filter(matches);

/** Which numbers a filter leaves: many and few, early and late in the order. */
const FILTERS: [query: string, (n: number) => boolean][] = [
  ["a.even=true", (n) => n % 2 === 0],
  ["a.late=true", (n) => n > EARLY],
  ["a.late=true&category=Tools", (n) => n > EARLY && n % 3 === 0],
  [`min.number=${EARLY - 100}`, (n) => n >= EARLY - 100],
];
const SORTS = ["name", "newest", "popularity"] as const;
const everySort = FILTERS.flatMap(([query, matches]) => SORTS.map((sort) => [query, sort, matches] as const));

beforeAll(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw(
    `insert into items (id, name, category, popularity, created_at, updated_at, attributes)
     select 'item-' || digits, 'Item ' || digits, case when n % 3 = 0 then 'Tools' else 'Toys' end, 40000 - n,
            '2025-01-01', timestamptz '2026-01-01' - n * interval '1 minute',
            jsonb_build_object('even', n % 2 = 0, 'late', n > :early, 'number', n)
       from (select n, lpad(n::text, 5, '0') as digits from generate_series(1, :records::integer) as n) as numbered`,
    { early: EARLY, records: RECORDS },
  );
  await site.db.raw("vacuum analyze items");
});

describe("a long list", () => {
  it.each(everySort)("with %s by %s has all its pages in order", async (query, sort, matches) => {
    const ids = numbers(matches).map(idOf);
    const pages = Math.min(Math.ceil(ids.length / 50), 200);
    for (const page of new Set([1, 2, Math.ceil(pages / 2), pages])) {
      const text = await site.page(`/items?${query}&sort=${sort}&page=${page}`);
      const shown = [...text.matchAll(/href="\/items\/(item-\d+)"/g)].map(([, id]) => id);
      expect([...new Set(shown)], `page ${page}`).toEqual(ids.slice((page - 1) * 50, page * 50));
    }
  });

  it.each([...everySort.slice(SORTS.length), ["a.late=true", "id", (n: number) => n > EARLY] as const])(
    "of the API with %s by %s has each record once, in order",
    async (query, sort, matches) => {
      const pages = await walkPages(get, `/api/items?${query}&sort=${sort}&limit=200&fields=id`);
      expect(pages.flat()).toEqual(numbers(matches).map(idOf));
    },
  );
});

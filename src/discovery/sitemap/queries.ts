import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { recordPath, type SitemapKind, type SitemapUrl, sitemapKinds } from "./build-sitemap.ts";

/** The records of one kind that a sitemap lists. */
export interface Listing {
  kind: SitemapKind;
  /** Leaves out records with longer ids (UTF-8, apostrophes count twice), whose URLs would be too long. */
  maxIdBytes: number;
  /** The first id of a range, in byte order; undefined for the beginning. */
  from?: string | undefined;
  /** The first id after the range; undefined for the end. */
  to?: string | undefined;
}

/** Summary of a listing: its size and Last-Modified. It differs between any two states. */
export interface ListingSummary {
  count: number;
  /** Characters of all ids after percent-encoding. */
  idCharacters: number;
  /** Apostrophes in all ids. */
  apostrophes: number;
  newest: Date | undefined;
  /** Changes with any id and any record's time of change. */
  digest: string;
}

/** One page of a listing; pages count from 1, empty ones are left out. */
export interface PageSummary {
  page: number;
  count: number;
  newest: Date;
}

const BATCH = 250;

/** The characters that `encodeURIComponent` encodes. */
const ENCODED = "[^A-Za-z0-9_.!~*'()-]";

/** A shop item's page changes with the item, and whenever one of its discounts changes, starts or ends. */
const DONATE = `(
  select item.id, greatest(item.updated_at, discounted.changed_at) as updated_at
    from donate_items as item
    left join lateral (
      select max(change.at) as changed_at
        from discounts
        cross join lateral (values (starts_at), (ends_at), (discounts.updated_at)) as change (at)
       where discounts.item_key = item.id and change.at <= now()
    ) as discounted on true
) as donate`;

/** Counts the listed records of all kinds together, up to `cap`. */
export async function countRecords(db: Db, maxIdBytes: number, cap: number): Promise<number> {
  const kinds = sitemapKinds().map((kind) => listed(db, { kind, maxIdBytes }).select(db.raw("1")));
  const all = db.unionAll(kinds).limit(cap).as("listed");
  const row = await db.from(all).count({ count: "*" }).first();
  return Number(row?.count);
}

/** When the newest record of each kind changed. */
export async function newestChanges(db: Db): Promise<Record<SitemapKind, Date | undefined>> {
  const columns = sitemapKinds().map((kind) => db.from(source(db, kind)).max("updated_at").as(kind));
  const row = await db.select(columns).first();
  const entries = sitemapKinds().map((kind) => [kind, row[kind] ?? undefined]);
  return Object.fromEntries(entries) as Record<SitemapKind, Date | undefined>;
}

/** Summarises a listing in one pass over its range. */
export async function summariseListing(db: Db, listing: Listing): Promise<ListingSummary> {
  const row = await listed(db, listing)
    .select({
      count: db.raw("count(*)"),
      characters: db.raw("sum(3 * octet_length(id) - 2 * length(regexp_replace(id, ?, '', 'g')))", [ENCODED]),
      apostrophes: db.raw("sum(octet_length(replace(id, '''', '--')) - octet_length(id))"),
      newest: db.raw("max(updated_at)"),
      digest: db.raw("sum(hashtextextended(id, (extract(epoch from updated_at) * 1000000)::bigint))"),
    })
    .first();
  const { count, characters, apostrophes, newest, digest } = row;
  return {
    count,
    idCharacters: characters ?? 0,
    apostrophes: apostrophes ?? 0,
    newest: newest ?? undefined,
    digest: `${count} ${digest}`,
  };
}

/** The first ids of the second and later pages of `pageUrls` records, in one pass. */
export async function findBorders(db: Db, listing: Listing, pageUrls: number): Promise<string[]> {
  const places = listed(db, listing).select("id", db.raw("row_number() over (order by id) - 1 as place"));
  return db
    .from(places.as("placed"))
    .whereRaw("place > 0 and place % ? = 0", [pageUrls])
    .orderBy("place")
    .pluck("id");
}

/** Summarises the pages of a listing that begin at `borders`, in one pass. */
export async function summarisePages(db: Db, listing: Listing, borders: string[]): Promise<PageSummary[]> {
  return listed(db, listing)
    .select({
      page: db.raw('width_bucket(id, ?::text[] collate "C") + 1', [borders]),
      count: db.raw("count(*)"),
      newest: db.raw("max(updated_at)"),
    })
    .groupBy("page")
    .orderBy("page");
}

/**
 * Reads a listing in byte order of its ids, in batches by key instead of a cursor, so that a slow client holds no
 * connection between batches. Stops querying once the client stops reading.
 */
export async function* readListing(db: Db, listing: Listing): AsyncGenerator<SitemapUrl> {
  let last: string | undefined;
  for (;;) {
    const batch = listed(db, listing).select("id", "updated_at").orderBy("id").limit(BATCH);
    if (last !== undefined) batch.where("id", ">", last);
    const rows: { id: string; updated_at: Date }[] = await batch;
    for (const row of rows) yield { path: recordPath(listing.kind, row.id), lastmod: row.updated_at };
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.id;
  }
}

/** Leaves out the ids `.` and `..`, which URL parsers resolve even when encoded, so their pages have no address. */
function listed(db: Db, { kind, maxIdBytes, from, to }: Listing): Knex.QueryBuilder {
  const query = db.from(source(db, kind)).whereNotIn("id", [".", ".."]);
  query.whereRaw("octet_length(replace(id, '''', '--')) <= ?", [maxIdBytes]);
  if (from !== undefined) query.where("id", ">=", from);
  if (to !== undefined) query.where("id", "<", to);
  return query;
}

function source(db: Db, kind: SitemapKind): Knex.Raw {
  return kind === "donate" ? db.raw(DONATE) : db.raw("??", [kind]);
}

import type { Db } from "../db/connect.ts";
import { absoluteUrl, paths } from "../urls.ts";
import { normaliseName } from "./normalise.ts";
import type { Hit } from "./schemas.ts";

export const SEARCH_KINDS = ["items", "vehicles", "scripts"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Past this many matches a total is only a lower bound. */
const TOTAL_CAP = 1000;

const HIT_KINDS = { items: "item", vehicles: "vehicle", scripts: "script" } as const;

/** What SQL's `class` means; 0 is an exact id. */
const MATCH_OF_CLASS = ["exact", "exact", "prefix", "word", "substring"] as const;

interface Range {
  limit: number;
  offset: number;
  /** Origin of the hits' absolute URLs. */
  baseUrl: string;
}

interface KindResult {
  total: number;
  total_is_lower_bound?: true;
  results: Hit[];
}

interface Row {
  id: string;
  name: string;
  names: Record<string, string>;
  category: string | null;
  image: string | null;
  popularity: number | null;
  class: number;
  total: number;
}

/** Searches all three kinds; `limit` hits of each. */
export async function searchAll(
  db: Db,
  query: string,
  { limit, baseUrl }: Omit<Range, "offset">,
): Promise<Record<SearchKind, Hit[]>> {
  const range = { limit, offset: 0, baseUrl };
  const [items, vehicles, scripts] = await Promise.all(
    SEARCH_KINDS.map((kind) => searchKind(db, kind, query, range)),
  );
  return { items: items?.results ?? [], vehicles: vehicles?.results ?? [], scripts: scripts?.results ?? [] };
}

/**
 * Searches one kind by id and by every name in every language. The best class of any name counts, and for a name the
 * worst class of the query's words: exact, prefix of the name, prefix of a later word, substring. Within a class:
 * popularity, then the shorter name, then name and id by code point. A blank query finds nothing.
 */
export async function searchKind(db: Db, kind: SearchKind, query: string, range: Range): Promise<KindResult> {
  const text = query.trim();
  if (text === "") return { total: 0, results: [] };
  const rows = await rankMatches(db, kind, text, range);
  const total = rows[0]?.total ?? (range.offset > 0 ? await countMatches(db, kind, text) : 0);
  const results = rows.map((row) => toHit(kind, row, range.baseUrl));
  if (total <= TOTAL_CAP) return { total, results };
  return { total: TOTAL_CAP, total_is_lower_bound: true, results };
}

/**
 * Names that hold a word at the beginning of a word are asked for first: when they alone fill every page that can be
 * reached, the far larger set that merely holds the letters somewhere can neither change the answer nor its total.
 */
async function rankMatches(db: Db, kind: SearchKind, text: string, range: Range): Promise<Row[]> {
  const atWordStarts = await runRanking(db, kind, text, WORD_STARTS, range);
  const enough = (atWordStarts[0]?.total ?? 0) >= TOTAL_CAP + range.limit;
  return enough ? atWordStarts : runRanking(db, kind, text, ANYWHERE, range);
}

async function countMatches(db: Db, kind: SearchKind, text: string): Promise<number> {
  const [first] = await rankMatches(db, kind, text, { limit: 1, offset: 0, baseUrl: "" });
  return first?.total ?? 0;
}

/** Conditions on `search_text` for one word; a normalised word holds no LIKE wildcards. */
type WordCondition = (word: string) => { sql: string; bindings: string[] };

const WORD_STARTS: WordCondition = (word) => ({
  sql: "(search_text like ? or search_text like ?)",
  bindings: [`%\n${word}%`, `% ${word}%`],
});

const ANYWHERE: WordCondition = (word) => ({ sql: "search_text like ?", bindings: [`%${word}%`] });

async function runRanking(
  db: Db,
  kind: SearchKind,
  text: string,
  condition: WordCondition,
  { limit, offset }: Pick<Range, "limit" | "offset">,
): Promise<Row[]> {
  const name = normaliseName(text);
  const words = [...new Set(name.split(" ").filter((word) => word !== ""))];
  const ids = [...new Set([text, text.toLowerCase(), text.toUpperCase()])];
  const conditions = words.map(condition);
  const named = conditions.length === 0 ? "false" : conditions.map(({ sql }) => sql).join(" and ");
  const { rows } = await db.raw(
    `select entry.id, entry.name, entry.names, entry.category, entry.image, entry.popularity,
            case when entry.id = any(?::text[]) then 0 else best.class end as class,
            count(*) over ()::integer as total
       from ${kind} as entry
       cross join lateral (
         select min(case when name = ? then 1 when starts_with(name, ?) then 2 else worst.class end) as class
           from unnest(string_to_array(trim(both E'\\n' from search_text), E'\\n')) as name
           cross join lateral (
             select max(case when starts_with(name, word) then 2
                             when position(' ' || word in name) > 0 then 3
                             when position(word in name) > 0 then 4 end) as class,
                    bool_and(position(word in name) > 0) as complete
               from unnest(?::text[]) as word
           ) as worst
          where worst.complete
       ) as best
      where (entry.id = any(?::text[]) or (${named}))
        and (entry.id = any(?::text[]) or best.class is not null)
      order by class, entry.popularity desc nulls last, char_length(entry.name), entry.name collate "C", entry.id
      limit ? offset ?`,
    [ids, name, name, words, ids, ...conditions.flatMap(({ bindings }) => bindings), ids, limit, offset],
  );
  return rows;
}

function toHit(kind: SearchKind, row: Row, baseUrl: string): Hit {
  return {
    kind: HIT_KINDS[kind],
    id: row.id,
    name: row.name,
    ...(hasSeveralNames(row) && { names: row.names }),
    category: row.category,
    url: absoluteUrl(baseUrl, paths.entry(kind, row.id)),
    image_url: row.image === null ? null : absoluteUrl(baseUrl, row.image),
    ...(row.popularity !== null && { popularity: row.popularity }),
    match: MATCH_OF_CLASS[row.class] ?? "substring",
  };
}

function hasSeveralNames({ name, names }: Row): boolean {
  const values = Object.values(names);
  return values.length > 1 || values.some((value) => value !== name);
}

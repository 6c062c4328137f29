import { arrange, DEFAULT_SORT, type Listing, SORTS } from "../../servers/listing.ts";
import { loadServerBoard, type Server } from "../../servers/queries.ts";
import { oneOf, searchText, text } from "../../web/request/params.ts";
import { compareNames } from "../../words/i18n/name-order.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { RecordList } from "./lists.ts";

const FOUND_AT_MOST = 1_000;
const mark = oneOf(["1"]).optional();

type Value = string | number | null;
/** The sort key of a server: the value of the sort, then the operator's order, where ids come last. */
type SortKey = readonly [rank: number, value: Value, position: number | null, name: string, id: string];

/** The list of servers, with the filters and sorts of its page. There are few, so that they are sorted here. */
export function serverList(): RecordList<Server> {
  return {
    input: {
      q: searchText.optional(),
      game: text(1, 300).optional(),
      language: text(1, 300).optional(),
      not_full: mark,
      not_empty: mark,
      has_queue: mark,
      sort: oneOf([...SORTS, "id"] as const).default(DEFAULT_SORT),
    },
    async read(given, { limit, cursor }, { search, secret, snapshot }) {
      const listing = given as unknown as Omit<Listing, "sort"> & { sort: Listing["sort"] | "id" };
      const { q, sort } = listing;
      // Before the snapshot: who waits for a search must not hold a connection.
      const found = q ? await search.ids("servers", q, FOUND_AT_MOST) : undefined;
      const { servers } = await loadServerBoard(await snapshot());
      const matching = arrange(servers, { ...listing, sort: DEFAULT_SORT }, { found });
      const list = { secret, kind: "servers", sort };
      const after = readCursor<SortKey>(list, cursor);
      const compare = orderBy(sort);
      const placed = matching
        .map((server) => ({ server, place: placeOf(server, sort) }))
        .sort((a, b) => compare(a.place, b.place));
      const rest = after ? placed.filter(({ place }) => compare(place, after) > 0) : placed;
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? page.at(-1) : undefined;
      return {
        rows: page.map(({ server }) => server),
        total: matching.length,
        next: last && writeCursor(list, last.place),
      };
    },
  };
}

function placeOf(server: Server, sort: Listing["sort"] | "id"): SortKey {
  const { id, name, status, own_position } = server;
  if (sort === "id") return [0, id, own_position, name, id];
  const column = sort.replace("-", "") as "position" | "name";
  if (column === "position") return [status === "online" ? 0 : 1, null, own_position, name, id];
  return [0, server[column], own_position, name, id];
}

function orderBy(sort: Listing["sort"] | "id"): (a: SortKey, b: SortKey) => number {
  const direction = sort.startsWith("-") ? -1 : 1;
  const byValue = sort === "id" ? byCodePoint : byText;
  return (a, b) =>
    a[0] - b[0] ||
    nullsLast(a[1], b[1], direction, byValue) ||
    nullsLast(a[2], b[2], 1, byValue) ||
    byText(a[3], b[3]) ||
    byCodePoint(a[4], b[4]);
}

/** Unknown values come last in both directions. */
function nullsLast(a: Value, b: Value, direction: number, compare: (a: string, b: string) => number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return direction * (typeof a === "string" ? compare(a, String(b)) : a - Number(b));
}

function byText(a: string, b: string): number {
  return compareNames(a, b) || byCodePoint(a, b);
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

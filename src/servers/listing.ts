import { normaliseName } from "../search/normalise.ts";
import { compareNames } from "../words/i18n/name-order.ts";
import { type Paths, withQuery } from "../words/urls.ts";
import type { Server, ServerState } from "./queries.ts";

/** The columns that the list may be sorted by. */
const NAMES = ["name", "game"] as const;
const OTHER_FIGURES = ["queue", "peak", "average", "uptime"] as const;
type Column = "position" | "online" | (typeof NAMES)[number] | (typeof OTHER_FIGURES)[number];

/** The sorts of the list, in the order of the form, the default first; a leading minus reverses. */
export const SORTS = [
  "-online",
  "online",
  "position",
  ...NAMES.flatMap((name) => [name, `-${name}`] as const),
  ...OTHER_FIGURES.flatMap((figure) => [`-${figure}`, figure] as const),
] as const;

export type Sort = (typeof SORTS)[number];
export const DEFAULT_SORT: Sort = SORTS[0];

/** The sort of the page without one in its address: the operator's order, if there is one. */
export function usualSort(servers: readonly Pick<Server, "own_position" | "group_name">[]): Sort {
  const isOrdered = servers.some((server) => server.own_position !== null || server.group_name !== null);
  return isOrdered ? "position" : DEFAULT_SORT;
}

/** The filters and sort of a request. A checked filter is "1", as check boxes send it. */
export interface Listing {
  /** The search; blank or undefined without one. */
  q?: string | undefined;
  game?: string | undefined;
  language?: string | undefined;
  not_full?: Mark;
  not_empty?: Mark;
  has_queue?: Mark;
  favorites_first?: Mark;
  sort: Sort;
}
type Mark = "1" | undefined;

/** What servers are compared by: of the columns, only the sorted one is needed. */
export type SortKeys = Pick<Server, "status" | "position"> & Partial<Pick<Server, Column>>;

/** The ids that filters need and the listing does not have. */
interface Selection {
  favorites?: ReadonlySet<string>;
  /** The result of a search, or undefined without one. */
  found?: readonly string[] | undefined;
}

/**
 * The servers that match, in the requested order. Unknown values come last either way; ties are in the operator's
 * order, which begins with servers that are online, unless there are groups. The filters by figures leave out a server that is not online,
 * because its figures are not known.
 */
export function arrange<Listed extends Server>(
  servers: Listed[],
  listing: Listing,
  { favorites = new Set(), found }: Selection = {},
): Listed[] {
  const { sort, favorites_first: favoritesFirst } = listing;
  const rank = ({ id }: Server) => Number(favoritesFirst && !favorites.has(id));
  const order = orderBy(sort, servers);
  return servers
    .filter((server) => isFound(server, listing, found) && fits(server, listing))
    .sort((a, b) => rank(a) - rank(b) || order(a, b));
}

/** Compares two of the servers as `arrange` does, without favorites. */
export function orderBy(sort: Sort, servers: readonly Server[]): (a: SortKeys, b: SortKeys) => number {
  const column = sort.replace("-", "") as Column;
  const direction = sort.startsWith("-") ? -1 : 1;
  const isByStatus = column === "position" && !servers.some((server) => server.group_name !== null);
  const rank = ({ status }: SortKeys) => Number(isByStatus && status !== "online");
  return (a, b) =>
    rank(a) - rank(b) || compare(a[column] ?? null, b[column] ?? null, direction) || a.position - b.position;
}

/** A game's name finds its servers, too; in the site's search it only counts together with other words. */
function isFound({ id, game }: Server, { q }: Listing, found: readonly string[] | undefined): boolean {
  if (!found) return true;
  return found.includes(id) || (game !== null && normaliseName(game) === normaliseName(q ?? ""));
}

function fits(server: Server, { game, language, ...marks }: Listing): boolean {
  return (
    (game ?? server.game) === server.game &&
    (language ?? server.language) === server.language &&
    (!marks.not_full || (server.status === "online" && !isFull(server))) &&
    (!marks.not_empty || (server.online ?? 0) > 0) &&
    (!marks.has_queue || (server.queue ?? 0) > 0)
  );
}

/** True if a server is full; false without a maximum, or with a maximum of 0. */
export function isFull({
  status,
  online,
  max_online: maximum,
}: Pick<ServerState, "status" | "online" | "max_online">): boolean {
  return status === "online" && online !== null && maximum !== null && maximum > 0 && online >= maximum;
}

function compare(a: string | number | null, b: string | number | null, direction: number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const difference = typeof a === "string" ? compareNames(a, String(b)) : a - Number(b);
  return difference * direction;
}

/** The sort that a column's heading links to: figures start with the largest, and a second click reverses the order. */
export function nextSort(column: Exclude<Column, "position">, current: Sort): Sort {
  const first: Sort = column === "name" || column === "game" ? column : `-${column}`;
  const second: Sort = first === column ? `-${column}` : column;
  return current === first ? second : first;
}

/** The address of the list with these filters; leaves out defaults. */
export function listUrl({ sort, q, ...filters }: Listing, usual: Sort, paths: Paths): string {
  return withQuery(paths.servers(), { q, ...filters, sort: sortValue(sort, usual) });
}

/** The sort in the address and the form: blank for the usual one. */
export function sortValue(sort: Sort, usual: Sort): string {
  return sort === usual ? "" : sort;
}

/** Whether any filter is set. */
export function isFiltered({ q, game, language, not_full, not_empty, has_queue }: Listing): boolean {
  return (
    Boolean(q) || [game, language, not_full, not_empty, has_queue].some((filter) => filter !== undefined)
  );
}

/** The distinct values of a column, in order: the choices of a filter. */
export function choices(servers: Server[], column: "game" | "language"): string[] {
  const values = servers.map((server) => server[column]).filter((value) => value !== null);
  return [...new Set(values)].sort(compareNames);
}

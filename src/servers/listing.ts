import type { Server, ServerStatus } from "./queries.ts";

/** What the list may be sorted by; a leading minus turns the order round. */
export const SORTS = [
  "position",
  "name",
  "-name",
  "game",
  "-game",
  "online",
  "-online",
  "queue",
  "-queue",
  "peak",
  "-peak",
] as const;
export type Sort = (typeof SORTS)[number];

/** What a visitor asked the list for. */
export interface Listing {
  game?: string | undefined;
  language?: string | undefined;
  sort: Sort;
}

type Column = Exclude<Sort, `-${string}`>;

/** The servers that fit, in the order asked for. Unknown values come last either way; ties in the default order. */
export function arrange(servers: Server[], { game, language, sort }: Listing): Server[] {
  const column = sort.replace("-", "") as Column;
  const direction = sort.startsWith("-") ? -1 : 1;
  return servers
    .filter(
      (server) => (game ?? server.game) === server.game && (language ?? server.language) === server.language,
    )
    .sort((a, b) => compare(a[column], b[column], direction) || a.position - b.position);
}

function compare(a: string | number | null, b: string | number | null, direction: number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return (a < b ? -1 : 1) * direction;
}

/** The sort that a column's heading leads to: figures begin with the largest; a second click turns the order. */
export function nextSort(column: Exclude<Column, "position">, current: Sort): Sort {
  const first: Sort = column === "name" || column === "game" ? column : `-${column}`;
  const second: Sort = first === column ? `-${column}` : column;
  return current === first ? second : first;
}

/** What all servers come to, and how much of that is known. */
export interface Totals {
  servers: number;
  /** Sum of the known counts; null where none is known. */
  online: number | null;
  /** Servers whose count is part of the sum. */
  counted: number;
  /** Sum of the queues that are told; null where no server tells. */
  queue: number | null;
  /** Servers whose queue is part of the sum. */
  queues: number;
  states: Record<ServerStatus, number>;
}

/** Adds up the servers' current figures; what is not known, or was known long ago, is counted and not guessed. */
export function totalsOf(servers: Server[]): Totals {
  const current = servers.filter((server) => !server.outdated);
  const known = current.map((server) => server.online).filter((count) => count !== null);
  const queues = current.map((server) => server.queue).filter((count) => count !== null);
  const states: Totals["states"] = { online: 0, offline: 0, unknown: 0 };
  for (const server of servers) states[server.status] += 1;
  return {
    servers: servers.length,
    online: sum(known),
    counted: known.length,
    queue: sum(queues),
    queues: queues.length,
    states,
  };
}

function sum(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}

/** The different values of a column, in order: the choices of a filter. */
export function choices(servers: Server[], column: "game" | "language"): string[] {
  const values = servers.map((server) => server[column]).filter((value) => value !== null);
  return [...new Set(values)].sort();
}

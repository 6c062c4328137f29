/** Length of one bucket of the online history, in seconds. */
export const INTERVAL_S = 300;

/** Buckets of the 24-hour history; the last is the one that runs now. */
export const BUCKETS = 288;

/**
 * One server's last 24 hours, one entry for each bucket of the grid. Where nothing is known an entry is null, never a
 * made-up 0 and never a value carried over from its neighbour.
 */
export interface History {
  /** Mean of the counts measured in the bucket, rounded half up. */
  online: (number | null)[];
  queue: (number | null)[];
  /** True where any measurement found the server online, false where all found it offline, null where none told. */
  up: (boolean | null)[];
}

/** What the 24 hours come to; null where the history does not tell. */
export interface HistorySummary {
  /** Highest of the known online counts. */
  peak: number | null;
  /** Mean of the known online counts. */
  average: number | null;
  /** Share, 0 to 1, of the buckets with a known state in which the server was up. */
  uptime: number | null;
}

/** What was measured in one bucket: column by column, one entry for each server; null where it holds no record. */
export interface Bucket {
  /** Epoch seconds. */
  start: number;
  ids: string[] | null;
  online: (number | null)[] | null;
  queue: (number | null)[] | null;
  up: (boolean | null)[] | null;
  /** Time of the bucket's newest record. */
  checked_at: Date | null;
}

/** A history in which nothing is known. */
export function emptyHistory(): History {
  const nothing = () => new Array<null>(BUCKETS).fill(null);
  return { online: nothing(), queue: nothing(), up: nothing() };
}

/** Turns the grid's buckets into one history for each server that they mention. */
export function readHistories(buckets: Bucket[]): Map<string, History> {
  const histories = new Map<string, History>();
  buckets.forEach(({ ids, online, queue, up }, place) => {
    ids?.forEach((id, column) => {
      const history = histories.get(id) ?? emptyHistory();
      histories.set(id, history);
      history.online[place] = online?.[column] ?? null;
      history.queue[place] = queue?.[column] ?? null;
      history.up[place] = up?.[column] ?? null;
    });
  });
  return histories;
}

/** Peak, average and up-time: each can be recomputed from the history it stands beside. */
export function summarise(history: History): HistorySummary {
  const counts = history.online.filter((count) => count !== null);
  const states = history.up.filter((state) => state !== null);
  return {
    peak: counts.length === 0 ? null : Math.max(...counts),
    average: mean(counts),
    uptime: mean(states.map(Number)),
  };
}

function mean(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

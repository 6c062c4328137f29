import type { LocaleWords } from "./locale-words.ts";
import type { ServerState, ServerStatus } from "./queries.ts";

/** Sums over all servers, and how many servers they cover. */
interface Totals {
  servers: number;
  /** Sum of the known counts; null if none is known. */
  online: number | null;
  /** Servers whose count is part of the sum. */
  counted: number;
  /** Sum of the known queues; null if none is known. */
  queue: number | null;
  /** Servers whose queue is part of the sum. */
  queues: number;
  states: Record<ServerStatus, number>;
}

/** Sums up current figures, and counts how many are known. */
export function computeTotals(servers: readonly Pick<ServerState, "status" | "online" | "queue">[]): Totals {
  const known = servers.map((server) => server.online).filter((count) => count !== null);
  const queues = servers.map((server) => server.queue).filter((count) => count !== null);
  const states = { online: 0, offline: 0, unknown: 0 };
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

/** The totals as a sentence or two. */
export function totalsText(totals: Totals, words: LocaleWords): string {
  const { t, number } = words;
  const { offline, unknown } = totals.states;
  const states = [
    offline > 0 && t("servers.totals.offline", { figure: number(offline) }),
    unknown > 0 && t("servers.totals.unknown", { figure: number(unknown) }),
  ].filter(Boolean);
  const rest = states.length > 0 && t("servers.totals.unavailable", { states: states.join(", ") });
  return [playersText(totals, words), rest].filter(Boolean).join(" ");
}

function playersText(
  { servers, online, counted, queue, queues }: Totals,
  { t, number }: LocaleWords,
): string {
  if (online === null) return t("servers.totals.none");
  const parts = {
    players: t("servers.totals.players", { count: online, figure: number(online) }),
    servers: t("servers.totals.servers", {
      count: servers,
      counted: number(counted),
      figure: number(servers),
    }),
  };
  if (queue === null) return t("servers.totals.sentence", parts);
  const reported = { count: queues, queues: number(queues) };
  return t("servers.totals.sentence_with_queue", {
    ...parts,
    queue:
      queue === 0
        ? t("servers.totals.no_queue", reported)
        : t("servers.totals.queue", { ...reported, figure: number(queue) }),
  });
}

function sum(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}

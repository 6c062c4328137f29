import { type Core, protocols, type Results } from "gamedig";
import { type Figures, toCount } from "../adapter.ts";
import { queueOf } from "./queue.ts";

/** What a protocol has read of a server so far; undefined while it has not read the counts. */
export function figuresOf(core: Core, state: Results, countBots: boolean): Figures | undefined {
  const clients = clientsOf(state);
  const max_online = placesOf(core, state);
  const isSomebody = Boolean(clients || max_online !== null || state.name);
  if ((clients ?? max_online) === null || !isSomebody) return undefined;
  const bots = botsOf(core, state);
  const people = peopleOf(clients, bots);
  const online = countBots && people !== null ? people + (bots ?? 0) : people;
  return { online, bots, queue: queueOf(state.raw), max_online };
}

/**
 * How many are connected, with the bots that the game counts. Prefers a server's own count (`clients`) to gamedig's,
 * which may count a list of players that is not sent.
 */
export function clientsOf(state: Results): number | null {
  const raw = rawOf(state);
  return toCount(raw.clients) ?? toCount(state.numplayers) ?? toCount(raw.numplayers);
}

/** More bots than clients cannot be part of them: such a server counts people only. */
function peopleOf(clients: number | null, bots: number | null): number | null {
  return clients !== null && bots !== null && bots <= clients ? clients - bots : clients;
}

/**
 * The bots, if the game reports them. A Source server does so in the header of its answer
 * (https://developer.valvesoftware.com/wiki/Server_queries, "Bots"), others by players with a ping of 0. The library
 * splits such a list of players in two. Texts of the same name are rules, such as how many bots fill an empty server.
 */
function botsOf(core: Core, state: Results): number | null {
  const raw = rawOf(state);
  for (const told of [raw.numbots, raw.bots]) if (typeof told === "number") return toCount(told);
  const { players = [], bots = [] } = state;
  const isComplete = players.length + bots.length === clientsOf(state);
  return isComplete && listsPings(core) ? bots.length : null;
}

/** Whether all players come with their pings, beside the counts. */
function listsPings(core: Core): boolean {
  return is(core, "quake2") ? !is(core, "fivem") : is(core, "doom3");
}

/**
 * The places for everybody. Quake 3's `getstatus`, which gamedig sends, tells those behind a password too; its `getinfo`
 * and the game's own browser leave them out
 * (https://github.com/ioquake/ioq3/blob/main/code/server/sv_main.c, SVC_Info).
 */
function placesOf(core: Core, state: Results): number | null {
  const places = toCount(state.maxplayers);
  if (places === null || !is(core, "quake3")) return places;
  const [, told] = Object.entries(rawOf(state)).find(([key]) => /^sv_privateclients$/i.test(key)) ?? [];
  return Math.max(places - (toCount(told) ?? 0), 0);
}

function is(core: Core, protocol: string): boolean {
  const Protocol = protocols[protocol];
  return Protocol !== undefined && core instanceof Protocol;
}

export function rawOf(state: Results): Record<string, unknown> {
  return (state.raw ?? {}) as Record<string, unknown>;
}

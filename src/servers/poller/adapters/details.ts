import { type Core, protocols, type Results } from "gamedig";
import { isObject } from "../../../words/text/json.ts";
import { type Details, type Figures, toCount } from "../adapter.ts";

/** Characters of a text; longer ones are cut. */
const LONGEST = 80;
const MOST_PLAYERS = 128;

/** Rules that name a server's country, such as Quake's `sv_location`. */
const COUNTRY = /^\.?(sv_|server_?)?(country|location)$/i;

/** The details that a protocol has read from the responses with the counts; undefined without any. */
export function readDetails(state: Results): Details | undefined {
  const raw = rawOf(state);
  const [, country] = Object.entries(raw).find(([key]) => COUNTRY.test(key)) ?? [];
  const details: Details = {
    map: readLine(state.map),
    version: readVersion(state.version) ?? readVersion(nested(raw.version, "name")),
    country: readLine(country),
    players: readPlayers(state, raw),
  };
  return Object.values(details).some((value) => value !== null && value.length > 0) ? details : undefined;
}

/** Names as the game shows them. Minecraft sends a sample of them with its status. */
function readPlayers({ players }: Results, raw: Record<string, unknown>): string[] {
  const sample = nested(raw.players, "sample");
  const listed = players?.length ? players : Array.isArray(sample) ? sample : [];
  return listed.slice(0, MOST_PLAYERS).flatMap((player) => readLine(nested(player, "name")) ?? []);
}

/** A bare number is the protocol's version, which means nothing to players. */
function readVersion(value: unknown): string | null {
  const version = readLine(value);
  return version !== null && /\D/.test(version) ? version : null;
}

function nested(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** A peer's text on one line, without characters that change its direction; null if nothing visible is left. */
export function readLine(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const line = value
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? null : [...line].slice(0, LONGEST).join("");
}

/** The figures that a protocol has read so far; undefined until it has read the counts. */
export function readFigures(core: Core, state: Results, countBots: boolean): Figures | undefined {
  const clients = readClients(state);
  const max_online = readMaximum(core, state);
  const isSomebody = Boolean(clients || max_online !== null || state.name);
  if ((clients ?? max_online) === null || !isSomebody) return undefined;
  const bots = readBots(core, state);
  const people = countPeople(clients, bots);
  const online = countBots && people !== null ? people + (bots ?? 0) : people;
  return { online, bots, queue: readQueue(state.raw), max_online };
}

/**
 * How many are connected, with the bots that the game counts. Prefers a server's own count (`clients`) to gamedig's,
 * which may count a list of players that is not sent.
 */
export function readClients(state: Results): number | null {
  const raw = rawOf(state);
  return toCount(raw.clients) ?? toCount(state.numplayers) ?? toCount(raw.numplayers);
}

/** More bots than clients cannot be part of them: such a server counts people only. */
function countPeople(clients: number | null, bots: number | null): number | null {
  return clients !== null && bots !== null && bots <= clients ? clients - bots : clients;
}

/**
 * The bots, if the game reports them. A Source server does so in the header of its response
 * (https://developer.valvesoftware.com/wiki/Server_queries, "Bots"). Others list bots as players with a ping of 0, and
 * the library splits such a list in two. Texts of the same name are rules, such as how many bots fill an empty server.
 */
function readBots(core: Core, state: Results): number | null {
  const raw = rawOf(state);
  for (const told of [raw.numbots, raw.bots]) if (typeof told === "number") return toCount(told);
  const { players = [], bots = [] } = state;
  const isComplete = players.length + bots.length === readClients(state);
  return isComplete && listsPings(core) ? bots.length : null;
}

/** Whether the responses with the counts also list all players with their pings. */
function listsPings(core: Core): boolean {
  return is(core, "quake2") ? !is(core, "fivem") : is(core, "doom3");
}

/**
 * The slots open to all players. Quake 3's `getstatus`, which gamedig sends, also counts those behind a password. Its
 * `getinfo` and the game's own browser leave them out (https://github.com/ioquake/ioq3/blob/main/code/server/sv_main.c,
 * SVC_Info).
 */
function readMaximum(core: Core, state: Results): number | null {
  const places = toCount(state.maxplayers);
  if (places === null || !is(core, "quake3")) return places;
  const [, told] = Object.entries(rawOf(state)).find(([key]) => /^sv_privateclients$/i.test(key)) ?? [];
  return Math.max(places - (toCount(told) ?? 0), 0);
}

function is(core: Core, protocol: string): boolean {
  const Protocol = protocols[protocol];
  return Protocol !== undefined && core instanceof Protocol;
}

function rawOf(state: Results): Record<string, unknown> {
  return (state.raw ?? {}) as Record<string, unknown>;
}

/**
 * The length of the queue, from what gamedig leaves in `raw`; null if the server reports none. Returns 0 only if the
 * server sent it.
 *
 * - FiveM and RedM: `sv_queueCount` in the server's `/info.json`, by convention. It may be a text, `Queue: 12 in queue`.
 * - DayZ: the tag `lqs<number>` of A2S_INFO, as gamedig's protocols/dayz.js reads it. Tags are "Keywords" in
 *   https://developer.valvesoftware.com/wiki/Server_queries.
 * - Rust: the tag `qp<number>` there, beside `cp` (current players) and `mp` (maximum).
 * - Squad: `PublicQueue_I` and `ReservedQueue_I`, attributes of its session or rules of the older query.
 * - Anything with a plain `queue`, such as master lists.
 */
export function readQueue(raw: unknown): number | null {
  if (!isObject(raw)) return null;
  const info = isObject(raw.info) ? raw.info.vars : undefined;
  const places = [raw, raw.vars, info].filter(isObject);
  return (
    findFirst(places, fromVariables) ??
    fromTags(raw.tags) ??
    fromSquad(raw.attributes) ??
    fromSquad(raw.rules)
  );
}

function fromVariables(variables: Record<string, unknown>): number | null {
  const named = ["sv_queuecount", "sv_queue", "queue", "queuecount", "queue_count"];
  const entries = Object.entries(variables).map(([key, value]) => [key.toLowerCase(), value] as const);
  return findFirst(named, (name) => fromText(entries.find(([key]) => key === name)?.[1]));
}

/** A number, or the only number in a text (`12 in queue`); two numbers are ambiguous. */
function fromText(value: unknown): number | null {
  if (typeof value !== "string") return toCount(value);
  const [only, ...others] = value.slice(0, 200).match(/[-+]?\d+(?:[.,]\d+)*/g) ?? [];
  return others.length === 0 ? toCount(only) : null;
}

function fromTags(tags: unknown): number | null {
  if (!Array.isArray(tags)) return null;
  return findFirst(tags, (tag) => toCount(/^(?:lqs|qp)(\d+)$/.exec(String(tag).trim())?.[1]));
}

/** Squad has a public queue and one for reserved slots. */
function fromSquad(values: unknown): number | null {
  if (!isObject(values)) return null;
  const [open, reserved] = [/^publicqueue_[il]$/i, /^reservedqueue_[il]$/i].map((name) =>
    toCount(Object.entries(values).find(([key]) => name.test(key))?.[1]),
  );
  return open === null || open === undefined ? null : open + (reserved ?? 0);
}

function findFirst<T>(candidates: readonly T[], read: (candidate: T) => number | null): number | null {
  for (const candidate of candidates) {
    const found = read(candidate);
    if (found !== null) return found;
  }
  return null;
}

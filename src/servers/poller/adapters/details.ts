import type { Results } from "gamedig";
import type { Details } from "../adapter.ts";
import { rawOf } from "./counts.ts";

/** Characters of a text; longer ones are cut. */
const LONGEST = 80;
const MOST_PLAYERS = 128;

/** Rules that name a server's country, such as Quake's `sv_location`. */
const COUNTRY = /^\.?(sv_|server_?)?(country|location)$/i;

/** What a protocol has read of a server beside the counts, in the answers that it needed for them; undefined: nothing. */
export function detailsOf(state: Results): Details | undefined {
  const raw = rawOf(state);
  const [, country] = Object.entries(raw).find(([key]) => COUNTRY.test(key)) ?? [];
  const details: Details = {
    map: lineOf(state.map),
    version: versionOf(state.version) ?? versionOf(nested(raw.version, "name")),
    country: lineOf(country),
    players: playersOf(state, raw),
  };
  return Object.values(details).some((value) => value !== null && value.length > 0) ? details : undefined;
}

/** Names as the game shows them; Minecraft sends a sample of them with its status. */
function playersOf({ players }: Results, raw: Record<string, unknown>): string[] {
  const sample = nested(raw.players, "sample");
  const listed = players?.length ? players : Array.isArray(sample) ? sample : [];
  return listed.slice(0, MOST_PLAYERS).flatMap((player) => lineOf(nested(player, "name")) ?? []);
}

/** A bare number is the protocol's version, which means nothing to players. */
function versionOf(value: unknown): string | null {
  const version = lineOf(value);
  return version !== null && /\D/.test(version) ? version : null;
}

function nested(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** What a peer wrote, on one line and without signs that turn its direction; null where there is nothing to see. */
function lineOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const line = value
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? null : [...line].slice(0, LONGEST).join("");
}

import { isBlank } from "./visible.ts";

/** What a game writes into texts for colours and the like, and what is left of it. */
const CODES = {
  /** Includes codes of game texts, where ~n~ ends a line. */
  samp: [
    [/~n~/gi, "\n"],
    [/\{[\da-f]{6}(?:[\da-f]{2})?\}|~[a-z]~/gi, ""],
  ],
  mta: [[/#[\da-f]{6}/gi, ""]],
  /** And of the engines and games that follow it: FiveM, Xonotic, Call of Duty. */
  quake: [[/\^(?:x[\da-f]{3}|[\da-z*_=~])/gi, ""]],
  minecraft: [[/§[\da-z]/gi, ""]],
  wow: [
    [/\|n/gi, "\n"],
    [/\|c(?:[\da-f]{8}|n[^:|]*:)|\|H[^|]*\|h|\|[hr]|\|T[^|]*\|t|\|A[^|]*\|a/gi, ""],
    [/\|\|/g, "|"],
  ],
  gw2: [
    [/<br *\/?>/gi, "\n"],
    [/<\/?c(?:=[^<>]*)?>/gi, ""],
  ],
  unity: [[/<\/?(?:color|size|b|i|material|quad|sprite|mark|alpha)(?:[= ][^<>]*)?>/gi, ""]],
  trackmania: [
    [/\$(?:[hlp](?:\[[^\]]*\])?|[\da-f]{3}|[gimnostwz<>])/gi, ""],
    [/\$\$/g, "$"],
  ],
  paradox: [[/§[a-z!]/gi, ""]],
} as const satisfies Record<string, readonly (readonly [RegExp, string])[]>;

/** A game, or a family of games, whose codes can be stripped. */
export type GameCodes = keyof typeof CODES;

export const GAME_CODES = Object.keys(CODES) as [GameCodes, ...GameCodes[]];

/** A text without the codes of a game. One of nothing but codes stays, as it may be their name. */
export function withoutCodes(text: string, game: GameCodes): string {
  const rules: readonly (readonly [RegExp, string])[] = CODES[game];
  const stripped = rules.reduce((rest, [code, left]) => rest.replace(code, left), text);
  return isBlank(stripped) ? text : stripped;
}

/** The same of every text in a value; keys stay. */
export function valueWithoutCodes(value: unknown, game: GameCodes): unknown {
  if (typeof value === "string") return withoutCodes(value, game);
  if (Array.isArray(value)) return value.map((each) => valueWithoutCodes(each, game));
  if (typeof value !== "object" || value === null) return value;
  // From entries: assigning to a key "__proto__" would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, valueWithoutCodes(each, game)]));
}

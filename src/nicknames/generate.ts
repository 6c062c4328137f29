import { sexOfFirstName, sexOfLastName } from "./agreement.ts";
import type { CountryCode } from "./countries.ts";
import type { Sex } from "./country-names.ts";
import { byLength, type Pool, pickPairs } from "./pick.ts";
import { type NicknameMode, poolOf } from "./pools.ts";
import { createDraw } from "./random.ts";

/** What a player asks for. Fixed parts as `normaliseFixedPart` gives them; lengths are of the whole nickname. */
export interface NicknameRequest {
  country: CountryCode;
  mode: NicknameMode;
  sex: Sex | "any";
  first?: string | undefined;
  last?: string | undefined;
  minLength: number;
  maxLength: number;
  count: number;
  seed?: string | undefined;
}

/** `First_Last`, each legal, within the bounds and only once; fewer than `count` where no more exist. */
export interface NicknameResult {
  nicknames: string[];
}

/**
 * Generates nicknames. The same request with the same seed has the same answer on every machine, as long as the
 * lists stay; without a seed each answer is new. An impossible request (see `findImpossible`) has an empty one.
 */
export function generateNicknames(request: NicknameRequest): NicknameResult {
  const { country, mode, minLength: min, maxLength: max, count, seed } = request;
  const pool = withFixedParts(poolOf(country, mode), request);
  const pairs = pickPairs(pool, agreedSex(request), { min, max }, count, createDraw(seed));
  return { nicknames: pairs.map(([first, last]) => `${first}_${last}`) };
}

/** The sex asked for; for `any` the one that a fixed part shows, a last name before a first one. */
function agreedSex({ country, sex, first, last }: NicknameRequest): Sex | "any" {
  if (sex !== "any") return sex;
  const shown = last === undefined ? undefined : sexOfLastName(country, last);
  return shown ?? (first === undefined ? undefined : sexOfFirstName(country, first)) ?? "any";
}

/** A fixed part takes the place of all names of its side, and any other part may stand beside it. */
function withFixedParts(pool: Pool, { first, last }: NicknameRequest): Pool {
  const none = byLength([]);
  const onlyFirst = first === undefined ? undefined : { male: none, female: none, both: byLength([first]) };
  const lasts = last === undefined ? undefined : byLength([last]);
  const onlyLast = lasts && { male: lasts, female: lasts, any: lasts };
  return { firsts: onlyFirst ?? pool.firsts, lasts: onlyLast ?? pool.lasts };
}

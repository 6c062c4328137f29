import { sexOfFirstName, sexOfLastName } from "./agreement.ts";
import type { CountryCode } from "./countries.ts";
import type { Sex } from "./country-names.ts";
import { byLength, type Pool, pickPairs } from "./pick.ts";
import { findPool, type NicknameMode } from "./pools.ts";
import { createDraw } from "./random.ts";

/** A player's request. Fixed parts are normalised by `normaliseFixedPart`; lengths are of the whole nickname. */
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

/** Distinct legal nicknames `First_Last` within the bounds; fewer than `count` if no more exist. */
export interface NicknameResult {
  nicknames: string[];
}

/**
 * Generates nicknames. The same request and seed give the same result on every machine while the lists stay the
 * same; without a seed the result is random. It is empty for an impossible request (see `findImpossible`).
 */
export function generateNicknames(request: NicknameRequest): NicknameResult {
  const { country, mode, minLength: min, maxLength: max, count, seed } = request;
  const pool = withFixedParts(findPool(country, mode), request);
  const pairs = pickPairs(pool, agreedSex(request), { min, max }, count, createDraw(seed));
  return { nicknames: pairs.map(([first, last]) => `${first}_${last}`) };
}

/** The requested sex; for `any` that of a fixed part, the last name first. */
function agreedSex({ country, sex, first, last }: NicknameRequest): Sex | "any" {
  if (sex !== "any") return sex;
  const shown = last === undefined ? undefined : sexOfLastName(country, last);
  return shown ?? (first === undefined ? undefined : sexOfFirstName(country, first)) ?? "any";
}

/** A fixed part replaces all names of its side and pairs with any other part. */
function withFixedParts(pool: Pool, { first, last }: NicknameRequest): Pool {
  if (first === undefined && last === undefined) return pool;
  const none = byLength([]);
  const onlyFirst = first === undefined ? undefined : { male: none, female: none, both: byLength([first]) };
  const lasts = last === undefined ? undefined : byLength([last]);
  const onlyLast = lasts && { male: lasts, female: lasts, any: lasts };
  return { firsts: onlyFirst ?? pool.firsts, lasts: onlyLast ?? pool.lasts };
}

import type { LazyText } from "../words/i18n/lazy-text.ts";
import { fixedPartLength } from "./fixed-part.ts";
import type { NicknameRequest } from "./generate.ts";

/** An error in a request: its parameter and words that complete "<field> …". */
export interface Impossibility {
  param: "first" | "last" | "min_len" | "max_len";
  said: LazyText;
}

/**
 * Finds the requirements that no list of names could satisfy; empty if an answer is possible, even if that finds no
 * names. Fixed parts must be normalised by `normaliseFixedPart`.
 */
export function findImpossible(request: NicknameRequest): Impossibility[] {
  const { first, last, minLength: min, maxLength: max } = request;
  const found: Impossibility[] = [];
  if (min > max)
    found.push({ param: "min_len", said: { key: "nicknames.errors.bounds", values: { min, max } } });
  if (first !== undefined && last !== undefined) return [...found, ...findInBoth(first, last, request)];
  if (first !== undefined) found.push(...findTooLong("first", first, max));
  if (last !== undefined) found.push(...findTooLong("last", last, max));
  return found;
}

/** Counts an underscore and the shortest other part too. */
function findTooLong(param: "first" | "last", name: string, max: number): Impossibility[] {
  const length = name.length + 1 + fixedPartLength.min;
  if (length <= max) return [];
  const values = { name, length, max, over: length - max };
  return [{ param, said: { key: `nicknames.errors.${param}_too_long`, values } }];
}

function findInBoth(first: string, last: string, request: NicknameRequest): Impossibility[] {
  const { minLength: min, maxLength: max } = request;
  const found: Impossibility[] = [];
  if (first.toLowerCase() === last.toLowerCase()) {
    found.push({ param: "last", said: { key: "nicknames.errors.same", values: { name: last } } });
  }
  const name = `${first}_${last}`;
  const { length } = name;
  if (length > max) {
    const values = { name, length, max, over: length - max };
    found.push({ param: "max_len", said: { key: "nicknames.errors.both_too_long", values } });
  } else if (length < min) {
    const values = { name, length, min, under: min - length };
    found.push({ param: "min_len", said: { key: "nicknames.errors.both_too_short", values } });
  }
  return found;
}

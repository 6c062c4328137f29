import type { Part } from "./search-marks.js";

/** Of a hit of the API, what its names are told by. */
export interface Found {
  name: string;
  names?: Record<string, string> | undefined;
  match: string;
}

/** A name as it is shown. */
export interface ShownName {
  /** For `lang`, where it is known. */
  lang: string | undefined;
  text: string;
  parts: Part[];
}

/**
 * The names to show of a hit, with what was typed marked: first the one in the reader's language (as `localName` chooses
 * it), then the main one where it is another, and where neither shows why this was found, the one that does.
 */
export function namesToShow(hit: Found, query: string, language: string): [ShownName, ...ShownName[]];

/**
 * What was meant by a query that only forgiving classes answered, of the best hits, best first: the same keys on the
 * other keyboard layout, or the nearest name. Undefined where something matched as typed, or nothing at all.
 */
export function meantBy(
  hits: readonly Found[],
  query: string,
): { lang: string | undefined; text: string } | undefined;

/** Whether a match is one of the forgiving classes. */
export function isForgiven(match: string): boolean;

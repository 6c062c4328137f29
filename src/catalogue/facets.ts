import type { Language } from "../words/i18n/languages.ts";
import { compareNames } from "../words/i18n/name-order.ts";
import { isBlank } from "../words/text/visible.ts";
import { isPlace, isReference } from "./attributes.ts";

/** A count that stops at a cap; `atLeast` if there are more than `count`. */
export interface CappedCount {
  count: number;
  atLeast: boolean;
}

export type CategoryCount = CappedCount & { category: string };

/** The common values of a list's rows, so that the list can leave their columns out. */
export interface ListTraits {
  /** Records that were looked at, and whether that is the whole list. */
  looked: number;
  isWhole: boolean;
  /** By attribute: how many records have it, and whether all of those have the same value. */
  columns: ReadonlyMap<string, ValueTraits>;
  category: ValueTraits;
  popularity: ValueTraits;
  /** The first and the last time of a change; null in an empty list. */
  changed: [first: string, last: string] | null;
}

export interface ValueTraits {
  present: number;
  isSame: boolean;
}

/** How many records there are by the letter that their names begin with. */
export interface LetterCounts {
  counts: [initial: string, count: number][];
  /** There are more records, so that a letter without a count may have some. */
  atLeast: boolean;
}

/** The types of attribute values that lists can filter and sort by. */
export type FacetValue = string | number | boolean;

/** The facts about one attribute; if a key has values of several types, only the commonest type counts. */
export interface AttributeFacts {
  key: string;
  type: "string" | "number" | "boolean";
  present: number;
  distinct: number;
  /** The lowest number, else null. */
  min: number | null;
  max: number | null;
  whole: boolean;
  /** The length of the longest text in characters, else 0. */
  longest: number;
  /** Each value with its number of records, commonest first; null if there are more than `VALUES_AT_MOST`. */
  values: [FacetValue, number][] | null;
}

/** An attribute that a list can be filtered by: by ticking values, or by a range. */
export interface Facet {
  key: string;
  type: AttributeFacts["type"];
  present: number;
  /** The values offered, each with its number of records; null if it is filtered by a range. */
  values: [FacetValue, number][] | null;
  min: number | null;
  max: number | null;
}

/** The facets of a whole kind, without any filter. */
export interface KindFacets {
  records: CappedCount;
  categories: CategoryCount[];
  /** By the names that lists of the kind are sorted by: those in each language, or the main ones alone. */
  letters: Record<Language | "main", LetterCounts>;
  /** The numbers are estimates from a sample. */
  isSample: boolean;
  /** By number of records, highest first. */
  facets: Facet[];
  /** Number attributes that lists can be sorted by. */
  sorts: string[];
  /** Attributes worth a column in a list, best first. */
  columns: ColumnAttribute[];
  /** The first and the last change of a record, or null. */
  changed: ListTraits["changed"];
  /** Whether any record has a popularity; without one, lists have nothing to say of it. */
  hasPopularity: boolean;
}

interface ColumnAttribute {
  key: string;
  type: AttributeFacts["type"];
  /** How much one of its values says, relative to those of other attributes. */
  weight: number;
  /** The share of the records that have it, from 0 to 1. */
  share: number;
}

/** How many records of a list there are by attribute. */
export interface FacetCounts {
  /** `atLeast`: there may be more than was counted. `about`: estimated from a sample. */
  accuracy: "exact" | "atLeast" | "about";
  /** By key: how many records have the attribute, and how many have each value (see `valueText`). */
  byKey: ReadonlyMap<string, { present: number; values: ReadonlyMap<string, number> }>;
  /** Keys that were not counted because too many filters are on. */
  uncounted: ReadonlySet<string>;
}

/** In UTF-16 units. Attributes with longer keys are not offered, so parameters that name one have room for this. */
export const LONGEST_KEY = 200;
/** Attributes with more values get a range or no facet. */
export const VALUES_AT_MOST = 30;
const FACETS_AT_MOST = 60;
const TELLING_AT_MOST = 12;
/** In characters: the length that fits beside a checkbox, and in a column of a list. */
const LONGEST_VALUE = 60;
const LONGEST_CELL = 24;

/** How addresses and forms write a value. */
export function valueText(value: FacetValue): string {
  return String(value);
}

/** Leaves out attributes and values that a query parameter cannot name. */
export function usableFacts(facts: AttributeFacts[]): AttributeFacts[] {
  return facts
    .filter(({ key }) => key.length <= LONGEST_KEY && isUsable(key))
    .map((fact) => {
      if (fact.values === null) return fact;
      const values = fact.values.filter(([value]) => isUsable(valueText(value)));
      const present = values.reduce((sum, [, count]) => sum + count, 0);
      return { ...fact, values, distinct: values.length, present };
    });
}

/** True for text with a control character, such as a line break, which a form would send as CRLF. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function isUsable(text: string): boolean {
  return !isBlank(text) && !hasControl(text);
}

/** The attributes worth filtering by, those of most records first. Counts are scaled from `sampled` to all `records`. */
export function chooseFacets(
  facts: AttributeFacts[],
  { sampled, records }: { sampled: number; records: number },
): Facet[] {
  const scale = sampled === 0 ? 1 : records / sampled;
  return byCoverage(facts.filter((fact) => !isPlace(fact.key) && !isReference(fact.key)))
    .map((fact) => toFacet(fact, sampled, (count) => Math.round(count * scale)))
    .filter((facet) => facet !== undefined)
    .slice(0, FACETS_AT_MOST);
}

function toFacet(fact: AttributeFacts, sampled: number, about: (count: number) => number): Facet | undefined {
  const { key, type, min, max, distinct } = fact;
  const facet = { key, type, present: about(fact.present), min, max };
  if (offersValues(fact)) {
    // A value that every record has filters nothing.
    if (distinct < 2 && fact.present === sampled) return undefined;
    const values = (fact.values ?? []).map(([value, count]): [FacetValue, number] => [value, about(count)]);
    return { ...facet, values: values.sort(([a], [b]) => compareValues(a, b)) };
  }
  return type === "number" && distinct > 1 ? { ...facet, values: null } : undefined;
}

/** True for a few values that records share; for numbers only if they look counted rather than measured. */
function offersValues({ type, values, distinct, present, whole, longest }: AttributeFacts): boolean {
  if (values === null || longest > LONGEST_VALUE) return false;
  if (type === "boolean") return true;
  return type === "number" ? whole && present >= 3 * distinct : present > distinct;
}

/** The number attributes to sort by, without coordinates. */
export function chooseSorts(facts: AttributeFacts[]): string[] {
  const numbers = facts.filter(
    ({ key, type, distinct }) => type === "number" && distinct > 1 && !isPlace(key),
  );
  return byCoverage(numbers)
    .slice(0, FACETS_AT_MOST)
    .map(({ key }) => key);
}

/** The attributes worth a column: those that many records have with different values, numbers first. */
export function chooseColumnAttributes(facts: AttributeFacts[], sampled: number): ColumnAttribute[] {
  return facts
    .filter(({ key, distinct, longest }) => {
      return distinct > 1 && longest <= LONGEST_CELL && !isPlace(key) && !isReference(key);
    })
    .map((fact) => {
      return { key: fact.key, type: fact.type, weight: computeWeight(fact), share: fact.present / sampled };
    })
    .sort((a, b) => b.share * b.weight - a.share * a.weight || (a.key < b.key ? -1 : 1))
    .slice(0, TELLING_AT_MOST);
}

function computeWeight({ type, values }: AttributeFacts): number {
  if (type === "number") return 2;
  if (type === "boolean") return 0.5;
  return values === null ? 0.25 : 1;
}

/** The counts of the unfiltered list. */
export function unfilteredCounts({ facets, isSample }: KindFacets): FacetCounts {
  const byKey = facets.map(({ key, present, values }) => {
    const counted = (values ?? []).map(([value, count]) => [valueText(value), count] as const);
    return [key, { present, values: new Map(counted) }] as const;
  });
  return { accuracy: isSample ? "about" : "exact", byKey: new Map(byKey), uncounted: new Set() };
}

/** Joins counts of several facets, each counted over a list of its own. */
export function joinCounts(parts: FacetCounts[]): FacetCounts {
  return {
    accuracy: parts.some(({ accuracy }) => accuracy === "atLeast") ? "atLeast" : "exact",
    byKey: new Map(parts.flatMap(({ byKey }) => [...byKey])),
    uncounted: new Set(),
  };
}

function byCoverage(facts: AttributeFacts[]): AttributeFacts[] {
  return [...facts].sort((a, b) => b.present - a.present || (a.key < b.key ? -1 : 1));
}

/** Numbers by size, texts alphabetically, and "yes" before "no". */
function compareValues(a: FacetValue, b: FacetValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean") return a === b ? 0 : a ? -1 : 1;
  return compareNames(String(a), String(b));
}

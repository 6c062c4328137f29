import { compareNames } from "../i18n/name-order.ts";
import { isPlace, isReference } from "./attribute-order.ts";
import type { CappedCount, CategoryCount } from "./list-queries.ts";

/** What an attribute can be to be filtered or sorted by. */
export type FacetValue = string | number | boolean;

/** What the records of a kind tell of one attribute; of several types under one key only the commonest counts. */
export interface AttributeFacts {
  key: string;
  type: "string" | "number" | "boolean";
  /** How many records have it. */
  present: number;
  distinct: number;
  /** Of numbers, else null. */
  min: number | null;
  max: number | null;
  whole: boolean;
  /** The longest text, in characters; 0 for what is no text. */
  longest: number;
  /** Every value with its number of records, those of most records first; null: there are more than `VALUES_AT_MOST`. */
  values: [FacetValue, number][] | null;
}

/** An attribute that a list can be filtered by: by values to tick, or between two figures. */
export interface Facet {
  key: string;
  type: AttributeFacts["type"];
  /** How many records have it. */
  present: number;
  /** In the order in which they are offered, each with its number of records; null: by a lowest and a highest figure. */
  values: [FacetValue, number][] | null;
  min: number | null;
  max: number | null;
}

/** What is known of a whole kind, without any filter. */
export interface KindFacets {
  records: CappedCount;
  categories: CategoryCount[];
  /** The facets' figures are estimated from a sample. */
  isSample: boolean;
  /** Those of most records first. */
  facets: Facet[];
  /** Attributes with numbers, to sort by. */
  sorts: string[];
  /** Attributes that tell most about a record at a glance, best first. */
  telling: TellingAttribute[];
}

export interface TellingAttribute {
  key: string;
  type: AttributeFacts["type"];
  /** How much one value of it says beside those of others. */
  weight: number;
  /** The share of the records that have it, from 0 to 1. */
  share: number;
}

/** How many records of a list there are by attribute. */
export interface FacetCounts {
  /** `atLeast`: only so many records were looked at that there may be more. `about`: estimated from a sample. */
  accuracy: "exact" | "atLeast" | "about";
  /** By key: how many records have the attribute at all, and by value (see `valueText`) how many have that one. */
  byKey: ReadonlyMap<string, { present: number; values: ReadonlyMap<string, number> }>;
  /** The keys of those that were not counted, as too much is filtered by at once. */
  uncounted: ReadonlySet<string>;
}

/** No attribute of a longer key is offered, in UTF-16 units. Parameters that name an attribute have room for such a key. */
export const LONGEST_KEY = 200;
/** More different values than this are no list to choose from. */
export const VALUES_AT_MOST = 30;
const FACETS_AT_MOST = 60;
const TELLING_AT_MOST = 12;
/** What fits a line beside a checkbox, and a column of a list. */
const LONGEST_VALUE = 60;
const LONGEST_CELL = 24;

/** How addresses and forms write a value. */
export function valueText(value: FacetValue): string {
  return String(value);
}

/** The facts of those attributes and values that parameters can name, to choose facets, sorts and columns from. */
export function askableFacts(facts: AttributeFacts[]): AttributeFacts[] {
  return facts
    .filter(({ key }) => key.length <= LONGEST_KEY && isAskable(key))
    .map((fact) => {
      if (fact.values === null) return fact;
      const values = fact.values.filter(([value]) => isAskable(valueText(value)));
      const present = values.reduce((sum, [, count]) => sum + count, 0);
      return { ...fact, values, distinct: values.length, present };
    });
}

/** True for text without a visible character. As a parameter it counts as missing. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Z}\p{Cf}]*$/u.test(text);
}

/** True for text with a control character, such as a line break: a form sends each as CRLF, which no record would have. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function isAskable(text: string): boolean {
  return !isBlank(text) && !hasControl(text);
}

/**
 * The attributes that it makes sense to filter by, those of most records first. Where the facts are those of
 * `sampled` of all `records`, the figures are estimates for all.
 */
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
    // What every record has alike tells none from another.
    if (distinct < 2 && fact.present === sampled) return undefined;
    const values = (fact.values ?? []).map(([value, count]): [FacetValue, number] => [value, about(count)]);
    return { ...facet, values: values.sort(([a], [b]) => compareValues(a, b)) };
  }
  return type === "number" && distinct > 1 ? { ...facet, values: null } : undefined;
}

/** Few values that records share; of numbers, such as are counted rather than measured. */
function offersValues({ type, values, distinct, present, whole, longest }: AttributeFacts): boolean {
  if (values === null || longest > LONGEST_VALUE) return false;
  if (type === "boolean") return true;
  return type === "number" ? whole && present >= 3 * distinct : present > distinct;
}

/** The attributes with numbers; where something lies is no order. */
export function chooseSorts(facts: AttributeFacts[]): string[] {
  const numbers = facts.filter(
    ({ key, type, distinct }) => type === "number" && distinct > 1 && !isPlace(key),
  );
  return byCoverage(numbers)
    .slice(0, FACETS_AT_MOST)
    .map(({ key }) => key);
}

/** The attributes that a list shows beside a name: those that many records have and that differ, figures first. */
export function chooseTelling(facts: AttributeFacts[], sampled: number): TellingAttribute[] {
  return facts
    .filter(({ key, distinct, longest }) => {
      return distinct > 1 && longest <= LONGEST_CELL && !isPlace(key) && !isReference(key);
    })
    .map((fact) => {
      return { key: fact.key, type: fact.type, weight: weightOf(fact), share: fact.present / sampled };
    })
    .sort((a, b) => b.share * b.weight - a.share * a.weight || (a.key < b.key ? -1 : 1))
    .slice(0, TELLING_AT_MOST);
}

function weightOf({ type, values }: AttributeFacts): number {
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

/** Counts of several facets, each from a list of its own, as one. */
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

/** Numbers by size, texts by their letters, and "yes" before "no". */
function compareValues(a: FacetValue, b: FacetValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean") return a === b ? 0 : a ? -1 : 1;
  return compareNames(String(a), String(b));
}

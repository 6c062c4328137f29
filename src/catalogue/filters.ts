import { isBlank } from "../words/text/visible.ts";
import { type Facet, type FacetValue, hasControl } from "./facets.ts";
import type { AttributeFilter } from "./filter-queries.ts";

/** The error of a filter; the form shows it beside the field. */
type FilterError = "not_a_number" | "below_lowest" | "not_a_value";

/** One facet as a request filters by it: the texts typed, and what they mean. */
export interface FilterInput {
  facet: Facet;
  /** The ticked values as in the address. */
  values: string[];
  /** The typed text; blank for no bound. */
  min: string;
  max: string;
  /** Undefined if nothing is chosen, or nothing valid. */
  filter: AttributeFilter | undefined;
  errors: { values?: FilterError; min?: FilterError; max?: FilterError };
}

/** More than anybody ticks by hand. Each facet and range makes the database query larger, and every link on the page. */
export const FILTERS_AT_MOST = { facets: 10, values: 40, ranges: 4 } as const;
/** Values without a checkbox, as in an old address of a facet that now has too many values to list. */
const UNOFFERED_AT_MOST = 10;
/** In UTF-16 units. */
export const LONGEST_VALUE = 300;
const NUMBER_LENGTH = 30;

/** Parameter names: `a.seats=4` (repeatable), `min.price=1000`. The prefixes keep attributes apart from `page` and `sort`. */
const PARAMETER = {
  values: (key: string) => `a.${key}`,
  min: (key: string) => `min.${key}`,
  max: (key: string) => `max.${key}`,
};

/** How the names of all of them begin. */
export const FILTER_PREFIXES: readonly string[] = Object.values(PARAMETER).map((name) => name(""));

/** The names of a facet's fields in a form. */
export function filterFields({ key }: Facet): { values: string; min: string; max: string } {
  return { values: PARAMETER.values(key), min: PARAMETER.min(key), max: PARAMETER.max(key) };
}

/**
 * The filters that a query string has for these facets. Number facets accept both values and a range: which of them the
 * form offers changes with the records, and addresses must stay valid.
 */
export function readFilters(facets: Facet[], query: Record<string, unknown>) {
  const left: Record<keyof typeof FILTERS_AT_MOST, number> = { ...FILTERS_AT_MOST };
  const filters: FilterInput[] = [];
  let isCut = false;
  for (const facet of facets) {
    const typed = readTyped(facet, query);
    const kept = left.facets === 0 ? UNTYPED : keepTyped(facet, typed, left);
    isCut ||= countTyped(kept) < countTyped(typed);
    if (countTyped(kept) === 0) continue;
    filters.push(readFilter(facet, kept));
    left.facets -= 1;
    left.values -= kept.values.length;
    left.ranges -= Number(hasRange(kept));
  }
  return { filters, isCut };
}

/** Removes values that no record has, and marks their fields with an error. */
export function withoutUnknown(
  inputs: FilterInput[],
  isKnown: (key: string, value: FacetValue) => boolean,
): FilterInput[] {
  return inputs.map((input) => {
    const { key, values = [], min, max } = input.filter ?? { key: input.facet.key };
    const known = values.filter((value) => isKnown(key, value));
    if (known.length === values.length) return input;
    return {
      ...input,
      filter: toFilter(key, known, min, max),
      errors: { ...input.errors, values: "not_a_value" },
    };
  });
}

/** The filters as query parameters, each value spelled in one way. */
export function filterParameters(inputs: FilterInput[]): [string, string][] {
  return inputs.flatMap(({ facet: { key }, filter }): [string, string][] => {
    const bounds = (["min", "max"] as const).flatMap((bound): [string, string][] => {
      const figure = filter?.[bound];
      return figure === undefined ? [] : [[PARAMETER[bound](key), String(figure)]];
    });
    const values = (filter?.values ?? []).map((value): [string, string] => [
      PARAMETER.values(key),
      String(value),
    ]);
    return [...values, ...bounds];
  });
}

/** The filters without one value of a facet, or without its range. */
export function withoutFilter(
  inputs: FilterInput[],
  key: string,
  part: { value: FacetValue } | "range",
): FilterInput[] {
  return inputs.map((input) => {
    const { filter } = input;
    if (filter?.key !== key) return input;
    if (part === "range") return { ...input, filter: toFilter(key, filter.values, undefined, undefined) };
    const others = filter.values?.filter((value) => value !== part.value);
    return { ...input, filter: toFilter(key, others, filter.min, filter.max) };
  });
}

/** The texts that a query has for one facet. */
type Typed = Pick<FilterInput, "values" | "min" | "max">;

const UNTYPED: Typed = { values: [], min: "", max: "" };

function readTyped({ key, type }: Facet, query: Record<string, unknown>): Typed {
  const values = readTexts(query[PARAMETER.values(key)]);
  if (type !== "number") return { ...UNTYPED, values };
  const [min = "", max = ""] = (["min", "max"] as const).map(
    (bound) => readTexts(query[PARAMETER[bound](key)])[0],
  );
  return { values, min, max };
}

function keepTyped(facet: Facet, typed: Typed, left: { values: number; ranges: number }): Typed {
  const { min, max } = left.ranges > 0 ? typed : UNTYPED;
  const values = facet.values === null ? Math.min(left.values, UNOFFERED_AT_MOST) : left.values;
  return { values: typed.values.slice(0, values), min, max };
}

function hasRange({ min, max }: Typed): boolean {
  return min !== "" || max !== "";
}

function countTyped(typed: Typed): number {
  return typed.values.length + Number(hasRange(typed));
}

function readFilter(facet: Facet, { values, min, max }: Typed): FilterInput {
  const { key, type } = facet;
  const errors: FilterInput["errors"] = {};
  const read = values.map((text) => readValue(type, text));
  const known = read.filter((value) => value !== undefined);
  if (known.length < read.length) errors.values = "not_a_value";
  const [lowest, highest] = [readNumber(min), readNumber(max)];
  if (min !== "" && lowest === undefined) errors.min = "not_a_number";
  if (max !== "" && highest === undefined) errors.max = "not_a_number";
  if (lowest !== undefined && highest !== undefined && highest < lowest) errors.max = "below_lowest";
  const filter = toFilter(key, [...new Set(known)], lowest, errors.max ? undefined : highest);
  return { facet, values, min, max, filter, errors };
}

/** Undefined if nothing is chosen. */
function toFilter(
  key: string,
  values: FacetValue[] = [],
  min: number | undefined,
  max: number | undefined,
): AttributeFilter | undefined {
  if (values.length === 0 && min === undefined && max === undefined) return undefined;
  return { key, values: values.length > 0 ? values : undefined, min, max };
}

/** The texts of a parameter, each once, without blank ones; a control character is an error and not blank. */
function readTexts(parameter: unknown): string[] {
  const texts = (Array.isArray(parameter) ? parameter : [parameter]).filter(
    (text) => typeof text === "string",
  );
  return [...new Set(texts.filter((text) => !isBlank(text) || hasControl(text.trim())))];
}

function readValue(type: Facet["type"], text: string): FacetValue | undefined {
  if (type === "number") return readNumber(text);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  // Postgres stores no lone surrogates.
  const isUsable = text.isWellFormed() && !hasControl(text);
  return isUsable && text.length <= LONGEST_VALUE ? text : undefined;
}

/** A number as people write it: `30000`, `30 000`, `30,000`, `1.5`, `1,5`. */
function readNumber(text: string): number | undefined {
  const digits = text.replace(/[\s\u00a0\u202f]/g, "").replace("−", "-");
  const plain = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits) ? digits.replaceAll(",", "") : digits;
  const number = plain.replace(",", ".");
  if (number.length > NUMBER_LENGTH || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(number))
    return undefined;
  const figure = Number(number);
  // A double cannot hold it, so no record has it.
  return Number.isFinite(figure) ? figure : undefined;
}

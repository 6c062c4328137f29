import { compareNames } from "../../words/i18n/name-order.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import {
  type AttributeWords,
  attributeLabel,
  attributeText,
  attributeTint,
  compareKnown,
} from "../attributes.ts";
import { type Facet, type FacetCounts, type FacetValue, LONGEST_KEY, valueText } from "../facets.ts";
import type { AttributeFilter } from "../filter-queries.ts";
import { type FilterInput, filterFields, LONGEST_VALUE, withoutFilter } from "../filters.ts";
import type { ListView } from "./address.ts";
import { letterLabel } from "./find.ts";

/** One facet of the form beside a list, or several facets that have one checkbox each. */
interface FacetPanel {
  /** The same in every view of a list, so that scripts can find it again. */
  id: string;
  label: string;
  /** Checkboxes. Values that would leave nothing are left out unless ticked. */
  options: OptionField[];
  range: { min: BoundField; max: BoundField } | null;
  error: string | undefined;
}

interface OptionField {
  id: string;
  name: string;
  value: string;
  label: string;
  /** The number of records; blank if unknown. */
  figure: string;
  isChosen: boolean;
  /** The class of the value's colour. */
  tint: string | undefined;
}

interface BoundField {
  id: string;
  name: string;
  value: string;
  /** The lowest or highest value there is. */
  placeholder: string;
  error: string | undefined;
}

/** The name of a value's chip with every character of the key escaped; names of ranges are shorter. */
export const LONGEST_CHIP_NAME = "a.".length + "%3D".length * LONGEST_KEY + "=".length + LONGEST_VALUE;

/** More would make the form too long; those of most records come first. */
const FACETS_SHOWN = 12;

/** The form beside a list: each facet with the number of records per value. */
export function facetPanels(
  facets: Facet[],
  filters: FilterInput[],
  counts: FacetCounts,
  words: AttributeWords,
) {
  const { vocabulary } = words;
  const offered = facets
    .map((facet, index) => ({ facet, index }))
    .filter(({ facet }) => isOffered(facet, vocabulary))
    .sort((a, b) => compareKnown(a.facet.key, b.facet.key, vocabulary));
  const panels = offered.map(({ facet, index }) => {
    const input = filters.find(({ facet: { key } }) => key === facet.key);
    return {
      panel: facetPanel(`facet-${index}`, facet, input, counts, words),
      facet,
      isChosen: input !== undefined,
    };
  });
  const useful = panels.filter(({ panel, facet, isChosen }) => {
    if (isChosen) return true;
    // If not all records were counted, a facet that was not seen may still be there.
    const isPresent = counts.accuracy === "atLeast" || counts.byKey.has(facet.key);
    return isPresent && (panel.range !== null || panel.options.length > 0);
  });
  const shown = useful.filter(({ isChosen }, index) => isChosen || index < FACETS_SHOWN);
  return gatherSingles(shown, words);
}

/** What names entries is filtered by their names, but not by a range of ids. */
function isOffered({ key, values }: Facet, vocabulary: KindVocabulary): boolean {
  return vocabulary.isFilter(key) && (values !== null || vocabulary.referenceOf(key) === undefined);
}

/**
 * Collects facets that have one value in the whole kind into one panel of checkboxes. If only other filters reduce a
 * facet to one value, it stays in place, so that nothing moves under the pointer.
 */
function gatherSingles(panels: { panel: FacetPanel; facet: Facet }[], { t }: AttributeWords): FacetPanel[] {
  const isSingle = ({ panel, facet }: (typeof panels)[number]) =>
    facet.values?.length === 1 && panel.options.length === 1 && !panel.range && !panel.error;
  const options = panels
    .filter(isSingle)
    .flatMap(({ panel: { label, options } }) =>
      options.map((option) => ({ ...option, label: singleLabel(label, option, t) })),
    );
  const others = panels.filter((one) => !isSingle(one)).map(({ panel }) => panel);
  if (options.length === 0) return others;
  const label = t("catalogue.filters.features");
  return [...others, { id: "facet-features", label, options, range: null, error: undefined }];
}

/** `true` needs no value beside the name. */
function singleLabel(attribute: string, { value, label }: OptionField, t: AttributeWords["t"]): string {
  return value === "true" ? attribute : t("catalogue.filters.value", { attribute, value: label });
}

function facetPanel(
  id: string,
  facet: Facet,
  input: FilterInput | undefined,
  counts: FacetCounts,
  words: AttributeWords,
): FacetPanel {
  const error = input?.errors.values;
  const isNamed = words.vocabulary.referenceOf(facet.key) !== undefined;
  const isRange = (facet.values === null && !isNamed) || Boolean(input?.min || input?.max);
  return {
    id,
    label: attributeLabel(facet.key, words),
    options: optionFields(id, facet, input, counts, words),
    range: isRange ? rangeFields(id, facet, input, words) : null,
    error: error && words.t(`catalogue.filters.problems.${error}`),
  };
}

function optionFields(
  id: string,
  facet: Facet,
  input: FilterInput | undefined,
  counts: FacetCounts,
  words: AttributeWords,
): OptionField[] {
  const offered = (facet.values ?? []).map(([value]) => value);
  const chosen = input?.filter?.values ?? [];
  const values = inReadingOrder(
    facet.key,
    [...offered, ...chosen.filter((value) => !offered.includes(value))],
    words,
  );
  const { accuracy, byKey, uncounted } = counts;
  const isUncounted = uncounted.has(facet.key);
  const isCounted = accuracy === "exact" && facet.values !== null && !isUncounted;
  return values
    .map((value, index) => {
      const count = byKey.get(facet.key)?.values.get(valueText(value));
      return {
        id: `${id}-${index}`,
        name: filterFields(facet).values,
        value: valueText(value),
        label: valueLabel(facet.key, value, words),
        figure: countText(count ?? (isCounted ? 0 : undefined), accuracy, words),
        isChosen: chosen.includes(value),
        tint: attributeTint(facet.key, value, words),
        count,
      };
    })
    .filter(({ count, isChosen }) => isChosen || count !== undefined || accuracy === "atLeast" || isUncounted)
    .map(({ count: _, ...option }) => option);
}

/**
 * Values with a rank first, from the lowest; then texts and entries by what readers see of them, and others as they
 * come.
 */
function inReadingOrder(key: string, values: FacetValue[], words: AttributeWords): FacetValue[] {
  const isEntry = words.vocabulary.referenceOf(key) !== undefined;
  const isNamed = (value: FacetValue) => isEntry || typeof value === "string";
  const rank = (value: FacetValue) => words.vocabulary.rank(key, value) ?? Number.MAX_VALUE;
  return values.toSorted((a, b) => {
    const [one, other] = [rank(a), rank(b)];
    if (one !== other || !isNamed(a) || !isNamed(b)) return one - other;
    return compareNames(valueLabel(key, a, words), valueLabel(key, b, words));
  });
}

/** The text of a value; identifiers are shown as words. */
function valueLabel(key: string, value: FacetValue, words: AttributeWords): string {
  const text = attributeText(key, value, words);
  return /^[a-z]+(_[a-z0-9]+)+$/.test(text) ? text.replaceAll("_", " ") : text;
}

/** `1,234`; `1,200+` if there may be more; `≈ 1,200` for an estimate, rounded to two digits. */
function countText(
  count: number | undefined,
  accuracy: FacetCounts["accuracy"],
  { t, format }: AttributeWords,
): string {
  if (count === undefined) return "";
  if (accuracy === "about") {
    return t("catalogue.filters.about", { figure: format.number(Number(count.toPrecision(2))) });
  }
  return format.number(count) + (accuracy === "atLeast" ? "+" : "");
}

function rangeFields(id: string, facet: Facet, input: FilterInput | undefined, words: AttributeWords) {
  const fields = filterFields(facet);
  const bound = (side: "min" | "max"): BoundField => {
    const error = input?.errors[side];
    return {
      id: `${id}-${side}`,
      name: fields[side],
      value: input?.[side] ?? "",
      placeholder: facet[side] === null ? "" : boundText(facet.key, facet[side], words),
      error: error && words.t(`catalogue.filters.problems.${error}`),
    };
  };
  return { min: bound("min"), max: bound("max") };
}

/** A bound as it is written elsewhere; without its unit where the field has no room for both. */
function boundText(key: string, bound: number, words: AttributeWords): string {
  const text = attributeText(key, bound, words);
  return text.length > BOUND_ROOM ? words.format.attribute(bound) : text;
}

/** Characters that are seen of a field for one end of a range. */
const BOUND_ROOM = 11;

type ChipWords = AttributeWords & { categoryName(category: string): string };

/** The active filters of a list, each with the view without it. */
export function filterChips(view: ListView, words: ChipWords) {
  const { t } = words;
  const category =
    view.category === undefined
      ? []
      : [
          {
            label: words.categoryName(view.category),
            name: "category",
            without: { ...view, category: undefined },
          },
        ];
  const letter =
    view.letter === undefined
      ? []
      : [
          {
            label: t("catalogue.letters.begins", { letter: letterLabel(view.letter) }),
            name: "letter",
            without: { ...view, letter: undefined },
          },
        ];
  const filters = view.filters.flatMap(({ facet, filter }) => {
    if (!filter) return [];
    const { key } = facet;
    const fields = filterFields(facet);
    const attribute = attributeLabel(key, words);
    const without = (part: { value: FacetValue } | "range") => {
      return { ...view, filters: withoutFilter(view.filters, key, part) };
    };
    const values = (filter.values ?? []).map((value) => ({
      label: t("catalogue.filters.value", { attribute, value: valueLabel(key, value, words) }),
      name: chipName(fields.values, value),
      without: without({ value }),
    }));
    if (filter.min === undefined && filter.max === undefined) return values;
    const range = {
      label: rangeLabel(attribute, filter, words),
      name: fields.min,
      without: without("range"),
    };
    return [...values, range];
  });
  return [...category, ...letter, ...filters].map((chip) => ({
    ...chip,
    without: { ...chip.without, page: 1 },
  }));
}

/** Escapes `=` in the key: else value `y=z` of `x` and value `z` of `x=y` would share a name. */
function chipName(field: string, value: FacetValue): string {
  return `${field.replace(/[%=]/g, encodeURIComponent)}=${valueText(value)}`;
}

function rangeLabel(attribute: string, { key, min, max }: AttributeFilter, words: AttributeWords): string {
  const { t } = words;
  const figure = (value: number) => attributeText(key, value, words);
  if (min === undefined) return t("catalogue.filters.to", { attribute, max: figure(max ?? 0) });
  if (max === undefined) return t("catalogue.filters.from", { attribute, min: figure(min) });
  return t("catalogue.filters.range", { attribute, min: figure(min), max: figure(max) });
}

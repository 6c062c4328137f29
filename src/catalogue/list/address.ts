import { z } from "zod";
import { searchText, text, wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { Paths } from "../../words/urls.ts";
import { LONGEST_KEY } from "../facets.ts";
import { type FilterInput, filterParameters } from "../filters.ts";
import { pastPageInput } from "../past/input.ts";
import { ENTRY_SORTS, type EntrySort } from "./queries.ts";

export interface ListView {
  category?: string | undefined;
  /** Blank: no search. */
  q: string;
  /** As in addresses (see `readLetter`): only names that begin with it. */
  letter?: string | undefined;
  /** Undefined: the default order. */
  sort?: EntrySort | undefined;
  filters: FilterInput[];
  page: number;
}

/** What `name_initial` has for names without a letter of these alphabets, by their word in addresses. */
export const OTHERS = new Map([
  ["other", "…"],
  ["0-9", "♯"],
]);

/** A pattern of what `readLetter` takes. */
const LETTER = "^(?:0-9|other|[A-Za-zА-Яа-я])$";

/** Parameters of a list in addition to filters by attributes. */
export const listInput = z.object({
  category: text(1, 300).optional(),
  q: searchText.default(""),
  letter: text(1, 20)
    .refine(
      (letter) => readLetter(letter) !== undefined,
      zodMessage("input.one_of", { values: "A, Б, 0-9, other" }),
    )
    .transform(readLetter)
    .meta({ override: { type: "string", pattern: LETTER } })
    .optional(),
  sort: text(1, "-a.".length + LONGEST_KEY)
    .refine(isSort, zodMessage("input.one_of", { values: ENTRY_SORTS.join(", ") }))
    .optional(),
  page: wholeNumber(1, 1_000_000).default(1),
  ...pastPageInput,
});

const FIGURE_SORT = /^(-?)a\.(.+)$/s;

/** True for a well-formed sort, whether or not there is such an attribute. */
export function isSort(text: string): boolean {
  return isNamed(text) || FIGURE_SORT.test(text);
}

/** Reads a sort: `name`, `newest`, `popularity`, `match`, `a.price` ascending or `-a.price`; undefined if unknown. */
export function readSort(text: string | undefined, attributes: string[]): EntrySort | undefined {
  if (text === undefined) return undefined;
  if (isNamed(text)) return text;
  const [, sign, key = ""] = FIGURE_SORT.exec(text) ?? [];
  return attributes.includes(key) ? { key, descending: sign === "-" } : undefined;
}

/** The inverse of `readSort`. */
export function sortText(sort: EntrySort): string {
  return typeof sort === "string" ? sort : `${sort.descending ? "-" : ""}a.${sort.key}`;
}

/** The order of a view; only a search can be sorted by best match. */
export function chooseSort({ q, sort }: Pick<ListView, "q" | "sort">): EntrySort {
  const byDefault = q === "" ? "name" : "match";
  return sort === undefined || sort === "match" ? byDefault : sort;
}

/** True for the view of the whole kind. */
export function isUnfiltered({ category, letter, q, filters }: ListView): boolean {
  return category === undefined && letter === undefined && q === "" && !filters.some(({ filter }) => filter);
}

/** A view as query parameters, without those that have their default value. */
export function viewParameters(view: ListView): [string, string][] {
  const { category, letter, q, sort, filters, page } = view;
  const parameters: [string, string][] = category === undefined ? [] : [["category", category]];
  if (letter !== undefined) parameters.push(["letter", letter]);
  parameters.push(...filterParameters(filters));
  if (q !== "") parameters.push(["q", q]);
  if (sort !== undefined && sort !== chooseSort({ q })) parameters.push(["sort", sortText(sort)]);
  if (page > 1) parameters.push(["page", String(page)]);
  return parameters;
}

export function listUrl(paths: Paths, kind: CatalogueKind, view: ListView): string {
  return withView(paths.catalogue(kind), view);
}

/** The address of a file with all rows of a view, not only those of its page. */
export function listFileUrl(paths: Paths, kind: CatalogueKind, view: ListView): string {
  return withView(paths.catalogueFile(kind), { ...view, page: 1 });
}

function withView(path: string, view: ListView): string {
  const query = new URLSearchParams(viewParameters(view));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Reads a letter of an address, in either case; undefined for anything else. */
export function readLetter(text: string): string | undefined {
  const letter = OTHERS.has(text) ? text : text.toUpperCase();
  return OTHERS.has(letter) || /^[A-ZА-Я]$/.test(letter) ? letter : undefined;
}

/** The value of `name_initial` for a letter of an address. */
export function normaliseInitial(letter: string): string {
  return OTHERS.get(letter) ?? letter;
}

function isNamed(text: string): text is (typeof ENTRY_SORTS)[number] {
  return (ENTRY_SORTS as readonly string[]).includes(text);
}

import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { lookUpEntries } from "../records/relations/named-entries.ts";
import type { RelatedLine } from "../records/relations/related-hit.ts";
import { textLanguage } from "../records/text-language.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { Site } from "../web/look/site.ts";
import { badInput } from "../web/pages/errors.ts";
import { renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { id, oneOf, searchText } from "../web/request/params.ts";
import { localName } from "../words/i18n/local-name.ts";
import type { CompareKind } from "../words/kinds/kinds.ts";
import { isObject } from "../words/text/json.ts";
import { paths } from "../words/urls.ts";
import {
  type AttributeWords,
  attributeLabel,
  attributeLanguage,
  attributeTint,
  DEEPEST,
  isNested,
  listParts,
  nameTint,
  shortText,
  sortAttributes,
} from "./attributes.ts";
import type { CatalogueContext } from "./context.ts";
import { type EntrySummary, listByIds } from "./entry/queries.ts";
import { entryLines, linksIn, listReferences, moreText, namedIn, type ValueLink } from "./linked-values.ts";
import { type ComparedEntry, findCompared } from "./list/queries.ts";

/** Entries that one value of a comparison names; more are only counted. */
const NAMED_IN_CELL = 8;

interface CompareCell {
  text: string;
  links: ValueLink[];
  /** Referenced entries; `more` counts the rest. */
  lines: RelatedLine[];
  more: string | undefined;
  isNumber: boolean;
  isMissing: boolean;
  lang: string | undefined;
  /** The class of the value's colour. */
  tint: string | undefined;
}

interface CompareRow {
  label: string;
  /** Depth within nested attributes, from 0. */
  level: number;
  /** A group has no cells; its lines follow one level deeper. */
  isGroup: boolean;
  /** One for each entry, in their order. */
  cells: CompareCell[];
  /** The entries differ in this line, or in some line of this group. */
  differs: boolean;
}

type Attributes = Record<string, unknown>;

/** `textLangs`: the languages of the entries' own texts where known, in the order of the entries. */
type CompareWords = AttributeWords & Locale & { textLangs?: readonly (string | undefined)[] };

const COMPARED_AT_MOST = 4;
const FOUND_AT_MOST = 10;
/** How many ids are looked up. */
const IDS_AT_MOST = 50;

export const compareInput = z.object({
  q: searchText.default(""),
  only: oneOf(["differences"]).optional(),
});

/** `/compare/items` and `/compare/vehicles`: up to four entries (`id`, repeatable) side by side. */
export function showComparison(
  { db: database, search }: CatalogueContext,
  kind: CompareKind,
): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const { q, only } = parseInput(compareInput, req);
    const asked = readIds(req);
    // Before the snapshot: the search may have to wait, and must not hold a connection meanwhile.
    const foundIds = q === "" ? [] : await search.ids(kind, q, FOUND_AT_MOST, locale.language);
    const db = await snapshotFor(req, database);
    const [known, found] = await Promise.all([
      findCompared(db, kind, asked),
      foundIds.length === 0 ? [] : listByIds(db, kind, foundIds),
    ]);
    const entries = known.slice(0, COMPARED_AT_MOST);
    const ids = entries.map((entry) => entry.id);
    const { columns, rows } = await describeComparison(db, entries, kind, req.site, locale);
    const head = {
      title: locale.t(`kinds.${kind}.compare`),
      description: locale.t("catalogue.compare.description"),
      canonical: paths.compare(kind, []),
      noindex: asked.length > 0 || q !== "",
      scripts: ["catalogue/compare"],
      styles: ["catalogue/compare"],
      dependsOn: ["catalogue", "search"] as const,
    };
    await renderPage(req, res, "catalogue/compare", head, {
      kind,
      q,
      only,
      ids,
      entries: columns,
      rows: only ? rows.filter(({ differs }) => differs) : rows,
      isFull: entries.length >= COMPARED_AT_MOST,
      isTooMany: known.length > COMPARED_AT_MOST,
      unknown: asked.filter((id) => !known.some((entry) => entry.id === id)),
      found: found.map((entry) => foundEntry(entry, ids, locale)),
      allUrl: compareUrl(locale, kind, ids, undefined),
      differencesUrl: compareUrl(locale, kind, ids, "differences"),
      compareUrl: (changed: string[]) => compareUrl(locale, kind, changed, only),
    });
  };
}

/** Entries side by side, in the words of a site; what their attributes name is looked up. */
export async function describeComparison(
  db: Db,
  entries: ComparedEntry[],
  kind: CompareKind,
  site: Site,
  locale: Locale,
) {
  const vocabulary = site.vocabulary.of(kind);
  const attributes = entries.map((entry) => entry.attributes);
  const said = listReferences(attributes, vocabulary, NAMED_IN_CELL);
  const words = { ...locale, vocabulary, entries: await lookUpEntries(db, said, site.vocabulary) };
  return {
    columns: entries.map((entry) => column(entry, words)),
    rows: comparisonRows(entries, words, site),
  };
}

/** Each id once, in the order given. */
function readIds(req: Request): string[] {
  const given: unknown = req.query.id;
  const texts = (Array.isArray(given) ? given : [given])
    .filter((text) => typeof text === "string")
    .filter((text) => text.trim() !== "");
  const ids = [...new Set(texts)].slice(0, IDS_AT_MOST);
  for (const text of ids) {
    const parsed = id().safeParse(text);
    if (!parsed.success) throw badInput([{ param: "id", message: parsed.error.issues[0]?.message ?? "" }]);
  }
  return ids;
}

function comparisonRows(
  entries: ComparedEntry[],
  words: Locale & AttributeWords,
  site: Pick<Site, "category">,
): CompareRow[] {
  if (entries.length === 0) return [];
  const own = (label: string, values: unknown[], textLangs: (string | undefined)[] = []): CompareRow[] => {
    return compareValues("", values, { ...words, textLangs }).map((row) => ({ ...row, label }));
  };
  const categories = entries.map(({ category }) =>
    category === null ? undefined : site.category(category, words.language),
  );
  const popularities = entries.map(({ popularity }) => popularity);
  const attributes = entries.map((entry) => entry.attributes);
  return [
    ...own(
      words.t("catalogue.compare.category"),
      categories.map((category) => category?.text),
      categories.map((category) => category?.lang),
    ),
    ...(popularities.some((known) => known !== null)
      ? own(words.t("catalogue.compare.popularity"), popularities)
      : []),
    ...compareAttributes(attributes, { ...words, textLangs: entries.map(textLanguage) }),
  ];
}

function column(entry: ComparedEntry, words: AttributeWords) {
  const { id, category, picture, image } = entry;
  return { id, category, picture, image, ...localName(entry, words.language), tint: nameTint(entry, words) };
}

/** A match that can be added; `isCompared` if it is there already. */
function foundEntry(entry: EntrySummary, ids: string[], { language }: Locale) {
  const { id, category } = entry;
  return { id, category, ...localName(entry, language), isCompared: ids.includes(id) };
}

function compareUrl({ paths }: Locale, kind: CompareKind, ids: string[], only: string | undefined): string {
  const url = paths.compare(kind, ids);
  if (only === undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}only=${only}`;
}

/** The attributes of several entries side by side; a missing one is a dash, and differs from any value. */
function compareAttributes(entries: Attributes[], words: CompareWords, level = 0): CompareRow[] {
  const known = Object.fromEntries(
    [...entries].reverse().flatMap((attributes) => Object.entries(attributes)),
  );
  return sortAttributes(known, words.vocabulary).flatMap(([key]) => {
    const values = entries.map((attributes) => (Object.hasOwn(attributes, key) ? attributes[key] : null));
    return compareValues(key, values, words, level);
  });
}

/** One attribute of several entries: a line, or a group of lines if the values are nested. */
function compareValues(key: string, values: unknown[], words: CompareWords, level = 0): CompareRow[] {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (level < DEEPEST && present.length > 0 && isGroup(key, present, words)) {
    const rows = compareAttributes(values.map(listParts), words, level + 1);
    const differs = rows.some((row) => row.differs);
    return [{ label: attributeLabel(key, words), level, isGroup: true, cells: [], differs }, ...rows];
  }
  const cells = values.map((value, place) => ({
    text: shortText(key, value ?? null, words),
    ...findLeads(key, value, words),
    isNumber: typeof value === "number",
    isMissing: isNothing(value),
    lang: attributeLanguage(key, value, { ...words, textLang: words.textLangs?.[place] }),
    tint: attributeTint(key, value, words),
  }));
  // Labels of numbers leave out the unit, which is beside each of them.
  const figure = present.find((value) => typeof value === "number") ?? present[0];
  const differs = new Set(values.map(canonical)).size > 1;
  return [{ label: attributeLabel(key, words, figure), level, isGroup: false, cells, differs }];
}

/** What names entries is a list of them, whatever it is made of. */
function isGroup(key: string, present: unknown[], { vocabulary }: CompareWords): boolean {
  return vocabulary.referenceOf(key) === undefined && present.every(isNested);
}

function findLeads(
  key: string,
  value: unknown,
  words: CompareWords,
): Pick<CompareCell, "links" | "lines" | "more"> {
  const named = namedIn(key, value, words) ?? [];
  const left = named.length - NAMED_IN_CELL;
  return {
    links: named.length > 0 ? [] : (linksIn(key, value, words, NAMED_IN_CELL) ?? []),
    lines: entryLines(named, NAMED_IN_CELL, words),
    more: left > 0 ? moreText(left, words) : undefined,
  };
}

/** True for every value that is shown as a dash. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (isNothing(value)) return "";
  return JSON.stringify(value, (_, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

import { Refusal, readLine } from "../../../records/values.ts";
import { memoize } from "../../../settings/memoize.ts";
import { isObject } from "../../../words/text/json.ts";
import { fieldsOf, type ImportKind } from "../kinds.ts";
import { canonicalLocale, type FieldError } from "./json-values.ts";

/** What a category (`key` is blank) or a value of an attribute is called in one language. */
export interface Word {
  readonly key: string;
  readonly value: string;
  readonly language: string;
  readonly label: string;
}

interface Split {
  readonly candidate: Record<string, unknown>;
  readonly words: Word[];
  readonly errors: FieldError[];
}

/** The key of categories among words. */
const CATEGORY = "";

/** In characters, as long as the texts themselves may be. */
const LONGEST_CATEGORY = 100;
const LONGEST_VALUE = 300;

const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** Whether a key is a language that there is: `ru` and `pt_BR`, but not `hp`. Imports check every key of every record. */
export const isLanguage = memoize((key: string): boolean => {
  const locale = canonicalLocale(key);
  return locale !== undefined && languageNames.of(locale) !== undefined;
});

/** True if a value is texts by language: `{ "en": "Sword", "ru": "Меч" }`, or none. */
export function isByLanguage(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([key, text]) => isLanguage(key) && (typeof text === "string" || text === null),
  );
}

/** Fields of one text, and those of the same by language. */
const BY_LANGUAGE = [
  ["category", "categories"],
  ["description", "descriptions"],
  ["title", "titles"],
] as const;

/**
 * Takes apart what a record says in several languages: the text that it is known by stays in its field, and what the
 * others call it becomes words. Descriptions and titles stay with the record, by language.
 */
export function splitLanguages(kind: ImportKind, candidate: Record<string, unknown>): Split {
  const split: Split = { candidate, words: [], errors: [] };
  const fields = fieldsOf(kind);
  for (const [one, all] of BY_LANGUAGE) {
    if (!fields.includes(all)) continue;
    if (isByLanguage(candidate[one])) {
      const others = isObject(candidate[all]) ? candidate[all] : {};
      candidate[all] = { ...candidate[one], ...others };
      candidate[one] = null;
    }
    if (isObject(candidate[all]) && (candidate[one] ?? null) === null)
      candidate[one] = mainText(candidate[all]);
  }
  if (!fields.includes("categories")) return split;
  const { category, categories } = candidate;
  if (isObject(categories) && (category ?? null) !== null)
    addWords(
      split,
      { field: "categories", key: CATEGORY, value: category, most: LONGEST_CATEGORY },
      categories,
    );
  delete candidate.categories;
  if (isObject(candidate.attributes)) candidate.attributes = splitAttributes(split, candidate.attributes);
  return split;
}

/** The text that stands for all: the English one, else the first. */
function mainText(texts: Record<string, unknown>): unknown {
  const given = Object.entries(texts).filter(([, text]) => typeof text === "string" && text.trim() !== "");
  const [, text] = given.find(([language]) => language === "en") ?? given[0] ?? [];
  return text ?? null;
}

/**
 * `rarity: { en, ru }`, and `rarity.ru` beside `rarity`; an attribute with a dot in its name stays one without such a
 * sibling.
 */
function splitAttributes(split: Split, attributes: Record<string, unknown>): Record<string, unknown> {
  let kept: Record<string, unknown> | undefined;
  for (const name in attributes) {
    const value = attributes[name];
    if (typeof value === "object" && isByLanguage(value) && mayBeLabels(value)) {
      kept ??= { ...attributes };
      const main = mainText(value);
      kept[name] = main;
      addWords(split, { field: `attributes.${name}`, key: name, value: main, most: LONGEST_VALUE }, value);
      continue;
    }
    const dot = name.lastIndexOf(".");
    if (dot < 1 || value === null) continue;
    const [key, language] = [name.slice(0, dot), name.slice(dot + 1)];
    if (!isLanguage(language) || !Object.hasOwn(attributes, key) || !isPlain(attributes[key])) continue;
    kept ??= { ...attributes };
    delete kept[name];
    const of = { field: `attributes.${key}`, key, value: attributes[key], most: LONGEST_VALUE };
    addWords(split, of, { [language]: value });
  }
  return kept ?? attributes;
}

/** Long texts by language are no labels and stay as they are. A single language decides nothing for others. */
function mayBeLabels(texts: Record<string, unknown>): boolean {
  const values = Object.values(texts).filter((text) => text !== null);
  return (
    values.length > 1 && values.every((text) => typeof text === "string" && text.length <= LONGEST_VALUE)
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function addWords(
  { words, errors }: Split,
  { field, key, value, most }: { field: string; key: string; value: unknown; most: number },
  labels: Record<string, unknown>,
): void {
  // As the category is stored; an attribute is stored as it is given.
  const stored = key === CATEGORY ? readLine(value, most) : String(value);
  if (stored instanceof Refusal) return;
  for (const given in labels) {
    const text = labels[given];
    if (text === null || text === undefined || (typeof text === "string" && text.trim() === "")) continue;
    const language = canonicalLocale(given);
    const label = language === undefined ? new Refusal("refusals.language") : readLine(text, most);
    if (label instanceof Refusal) errors.push({ field: `${field}.${given}`, reason: label.reason });
    else if (language !== undefined) words.push({ key, value: stored, language, label });
  }
}

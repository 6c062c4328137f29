import { UsageError } from "../../../settings/usage-error.ts";
import { isObject } from "../../../words/text/json.ts";
import { fieldsOf, type ImportKind } from "../kinds.ts";
import { isLanguage } from "./languages.ts";

/** A value that stands for "nothing" in a source. */
export interface NullValue {
  /** Undefined for every field. */
  readonly field?: string;
  readonly value: string;
}

/** A path in a record: `entrance.0` is the first entry of the list `entrance`. */
export interface Path {
  readonly text: string;
  readonly steps: readonly string[];
}

/** Where a value comes from; the parts of a template are joined. */
export type Source =
  | { readonly type: "constant"; readonly value: string }
  | { readonly type: "path"; readonly path: Path }
  | { readonly type: "template"; readonly parts: readonly (string | Path)[] };

/** One --map: the field, the key in it (`ru` of `names.ru`), and its sources; the first with a value counts. */
export interface FieldMapping {
  readonly field: string;
  readonly key?: string;
  readonly sources: readonly Source[];
}

/** Fields that are objects, whose keys can be mapped one by one. */
export type KeyedField = "names" | "attributes" | "categories" | "descriptions" | "titles";

/** The fields that `--map field.key` fills in part; the one of `category.ru` is in `categories`. */
const KEYED: Readonly<Record<string, KeyedField>> = {
  names: "names",
  attributes: "attributes",
  category: "categories",
  categories: "categories",
  description: "descriptions",
  descriptions: "descriptions",
  title: "titles",
  titles: "titles",
};

const BY_LANGUAGE: readonly string[] = ["categories", "descriptions", "titles"] satisfies KeyedField[];

/** True if each part of a field is a language. */
export function isByLanguageOnly(field: string): boolean {
  return BY_LANGUAGE.includes(field);
}

/** The field that has the parts of a field in a kind, if it has parts there. */
export function keyedField(kind: ImportKind, field: string): KeyedField | undefined {
  const keyed = Object.hasOwn(KEYED, field) ? KEYED[field] : undefined;
  return keyed !== undefined && fieldsOf(kind).includes(keyed) ? keyed : undefined;
}

/**
 * Reads `--map target=source`. A source is a path (`name.en`, `categories.0`), a constant (`=PC`), a template
 * (`{ip}:{port}`), several of these between `|`, or nothing, which leaves the field out.
 * @throws UsageError naming the wrong option
 */
export function parseMappings(kind: ImportKind, options: readonly string[]): FieldMapping[] {
  const mappings = options.map((option) => parseMapping(kind, option));
  const targets = mappings.map(({ field, key }) => (key === undefined ? field : `${field}.${key}`));
  const repeated = targets.find((target, index) => targets.indexOf(target) !== index);
  if (repeated !== undefined)
    throw new UsageError(`--map ${repeated} is given twice; alternatives go in one: a|b`);
  return mappings;
}

/**
 * Reads `--id-from`: sources between commas; a constant can be the prefix of all ids (`=article,name`).
 * @throws UsageError if one is empty
 */
export function parseIdSources(text: string): Source[] {
  return text.split(",").map((source) => parseSource(`--id-from ${text}`, source));
}

export function parsePath(text: string): Path {
  const trimmed = text.trim().normalize("NFC");
  return { text: trimmed, steps: trimmed.split(".") };
}

/** Every path that a mapping reads. */
export function pathsOf({ sources }: Pick<FieldMapping, "sources">): Path[] {
  return sources.flatMap((source) => {
    if (source.type === "path") return [source.path];
    return source.type === "template" ? source.parts.filter((part) => typeof part !== "string") : [];
  });
}

function parseMapping(kind: ImportKind, option: string): FieldMapping {
  const equals = option.indexOf("=");
  if (equals < 1) throw new UsageError(`--map ${option}: say target=source`);
  const target = option.slice(0, equals).trim();
  const dot = target.indexOf(".");
  const field = dot === -1 ? target : target.slice(0, dot);
  const key = dot === -1 ? undefined : target.slice(dot + 1).normalize("NFC");
  requireField(kind, option, field, key);
  return { field, key, sources: parseSources(`--map ${option}`, option.slice(equals + 1)) };
}

function requireField(kind: ImportKind, option: string, field: string, key: string | undefined): void {
  const fields = fieldsOf(kind);
  if (!fields.includes(field)) {
    throw new UsageError(`--map ${option}: ${kind} have no field "${field}"; they have ${fields.join(", ")}`);
  }
  if (key === undefined) return;
  const keyed = keyedField(kind, field);
  if (keyed === undefined) throw new UsageError(`--map ${option}: "${field}" has no parts`);
  if (key === "") throw new UsageError(`--map ${option}: say ${field}.<key>`);
  if (isByLanguageOnly(keyed) && !isLanguage(key))
    throw new UsageError(`--map ${option}: ${JSON.stringify(key)} is not a language such as en or pt-BR`);
}

function parseSources(option: string, text: string): Source[] {
  if (text.trim() === "") return [];
  return text.split("|").map((alternative) => parseSource(option, alternative));
}

function parseSource(option: string, text: string): Source {
  if (text.startsWith("=")) return { type: "constant", value: text.slice(1).normalize("NFC") };
  if (/[{}]/.test(text)) return { type: "template", parts: parseTemplate(option, text) };
  if (text.trim() === "") throw new UsageError(`${option}: one of the fields is empty`);
  return { type: "path", path: parsePath(text) };
}

function parseTemplate(option: string, text: string): (string | Path)[] {
  const parts = text.split(/\{([^{}]+)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  if (parts.length === 1 || literals.some((literal) => /[{}]/.test(literal))) {
    throw new UsageError(`${option}: every { needs its } with a field between them`);
  }
  return parts.map((part, index) => (index % 2 === 0 ? part : parsePath(part))).filter((part) => part !== "");
}

/**
 * The value at a path: undefined if the record has no such field, null if it holds nothing (null, blank text, or one of
 * `nulls`). A field whose name contains the dots wins over a nested one.
 */
export function readPath(record: unknown, path: Path, nulls: readonly NullValue[]): unknown {
  const value = ownValue(record, path.text);
  const found = value === undefined && path.steps.length > 1 ? path.steps.reduce(ownValue, record) : value;
  return isNothing(path.text, found, nulls) ? null : found;
}

/** The first source's value that is not nothing; null if some sources exist but hold nothing, undefined if none exists. */
export function readSources(
  record: unknown,
  sources: readonly Source[],
  nulls: readonly NullValue[],
): unknown {
  let best: unknown;
  for (const source of sources) {
    const value = readSource(record, source, nulls);
    if (value !== undefined && value !== null) return value;
    if (value === null) best = null;
  }
  return best;
}

/** True for a value that stands for nothing. */
export function isNothing(field: string, value: unknown, nulls: readonly NullValue[]): boolean {
  if (value === null) return true;
  if (typeof value === "string" && value.trim() === "") return true;
  if (nulls.length === 0 || typeof value === "object" || value === undefined) return false;
  const text = String(value).trim();
  return nulls.some((nothing) => nothing.value === text && (nothing.field ?? field) === field);
}

function readSource(record: unknown, source: Source, nulls: readonly NullValue[]): unknown {
  if (source.type === "constant") return source.value;
  if (source.type === "path") return readPath(record, source.path, nulls);
  return readTemplate(record, source.parts, nulls);
}

/** One missing part empties a template: with a gap it would make an address such as ":7777". */
function readTemplate(
  record: unknown,
  parts: readonly (string | Path)[],
  nulls: readonly NullValue[],
): unknown {
  let text = "";
  let isThere = false;
  let hasGap = false;
  for (const part of parts) {
    const value = typeof part === "string" ? part : readPath(record, part, nulls);
    if (typeof part !== "string" && value !== undefined) isThere = true;
    if (value === undefined || value === null) hasGap = true;
    else text += typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  // `-{y}` turns an axis round; two signs would be no number.
  if (!hasGap)
    return parts[0] === "-" && parts.length === 2 ? text.replace(/^-\s*[-\u2212](?=[\d.,])/, "") : text;
  return isThere ? null : undefined;
}

function ownValue(value: unknown, step: string): unknown {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}

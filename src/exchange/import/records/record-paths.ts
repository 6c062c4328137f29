import { isObject } from "./json-values.ts";
import type { Path, Source } from "./mapping.ts";

/** A value that stands for "nothing" in a source. */
export interface NullValue {
  /** Undefined for every field. */
  readonly field?: string;
  readonly value: string;
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

import { Refusal, readLine, refuseUnstorable } from "../../../records/values.ts";
import { memoize } from "../../../settings/memoize.ts";
import type { LazyText } from "../../../words/i18n/lazy-text.ts";
import { withoutTurns } from "../../../words/text/visible.ts";

const MAX_ATTRIBUTES_BYTES = 65_536;
const MAX_DEPTH = 32;
const LOCALE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;

export interface FieldError {
  /** Such as `names.ru`; empty for the record as a whole. */
  readonly field: string;
  readonly reason: string | LazyText;
}

/** Refusals by key of an object. */
type EntryRefusals = { key: string; refusal: Refusal }[];

/**
 * Texts by locale, written as in BCP 47 (`pt_br` becomes `pt-BR`): names of at most 300 characters, or what `read`
 * makes of them. Blank texts are skipped.
 */
export function readNames(
  value: object,
  read = (text: unknown) => readLine(text, 300),
): { names: Record<string, string>; refused: EntryRefusals } {
  const names = new Map<string, string>();
  const refused: EntryRefusals = [];
  for (const [key, given] of Object.entries(value)) {
    if (given === null || given === undefined || (typeof given === "string" && given.trim() === "")) continue;
    const locale = canonicalLocale(key);
    const name = read(given);
    const refusal = refuseName(names, locale, name);
    if (refusal) refused.push({ key, refusal });
    else if (locale !== undefined && typeof name === "string") names.set(locale, name);
  }
  return { names: Object.fromEntries(names), refused };
}

function refuseName(
  names: Map<string, string>,
  locale: string | undefined,
  name: string | Refusal,
): Refusal | null {
  if (locale === undefined) return new Refusal("refusals.language");
  if (name instanceof Refusal) return name;
  return (names.get(locale) ?? name) === name
    ? null
    : new Refusal("refusals.another_name", { language: locale });
}

/** The JSON text of an object of at most 64 KB that Postgres can store by value. */
export function readAttributes(value: object): string | Refusal {
  const refusal = findUnstorable(value, 1);
  if (refusal) return refusal;
  const text = withoutTurns(JSON.stringify(value));
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_ATTRIBUTES_BYTES) return text;
  return new Refusal("refusals.bytes", { max: MAX_ATTRIBUTES_BYTES, bytes });
}

/**
 * A language as BCP 47 writes it, or undefined for anything else. Remembered, because asking Intl for every name of a
 * million records would take longest of all.
 */
export const canonicalLocale = memoize((key: string): string | undefined => {
  try {
    const [locale = ""] = Intl.getCanonicalLocales(key.trim().replaceAll("_", "-"));
    return LOCALE.test(locale) ? locale : undefined;
  } catch {
    return undefined; // RangeError: not a language tag
  }
});

function findUnstorable(value: unknown, depth: number): Refusal | null {
  if (typeof value === "string") return refuseUnstorable(value);
  if (typeof value === "number" && !Number.isFinite(value)) return new Refusal("refusals.overflow");
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) return new Refusal("refusals.deep", { max: MAX_DEPTH });
  for (const [key, entry] of Object.entries(value)) {
    const refusal = refuseUnstorable(key) ?? findUnstorable(entry, depth + 1);
    if (refusal) return refusal;
  }
  return null;
}

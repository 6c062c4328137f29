import type { Language } from "./languages.ts";
import { nearestTag, rangesOf } from "./nearest-tag.ts";

/** How a thing is called by somebody who reads one language. */
export interface LocalName {
  /** In that language where the record has one, else the main name. */
  readonly name: string;
  /** For `lang`: the language of `name` where that is known. */
  readonly lang: string | undefined;
  /** The main name, where it is another one. */
  readonly original: string | undefined;
  /** For `lang`: the language of `original` where that is known. */
  readonly originalLang: string | undefined;
}

/** The name of a record, by its main `name` and its `names` by locale (`ru`, `pt-BR`). */
export function localName(
  { name, names }: { name: string; names?: Record<string, string> | null },
  language: Language,
): LocalName {
  const [locale, local] = nearest(names ?? {}, language);
  const lang = localeOfName(name, names ?? {});
  if (local === undefined) return { name, lang, original: undefined, originalLang: undefined };
  if (local === name) return { name, lang: locale, original: undefined, originalLang: undefined };
  return { name: local, lang: locale, original: name, originalLang: lang };
}

function nearest(
  names: Record<string, string>,
  language: Language,
): [string, string] | [undefined, undefined] {
  const locale = nearestTag(language, Object.keys(names));
  const name = locale === undefined ? undefined : names[locale];
  return locale === undefined || name === undefined ? [undefined, undefined] : [locale, name];
}

/**
 * The same name in SQL, for order by: an expression over the columns `name` and `names` of a table, and its bindings.
 */
export function localNameSql(language: Language, table?: string): { sql: string; bindings: string[] } {
  const [name, names] = ["name", "names"].map((column) => (table ? `${table}.${column}` : column));
  const regional = `select value from jsonb_each_text(${names}) where starts_with(key, ?) order by key collate "C" limit 1`;
  const ranges = rangesOf(language);
  return {
    sql: `coalesce(${ranges.map(() => `${names} ->> ?, (${regional})`).join(", ")}, ${name})`,
    bindings: ranges.flatMap((range) => [range, `${range}-`]),
  };
}

function localeOfName(name: string, names: Record<string, string>): string | undefined {
  return Object.keys(names).find((locale) => names[locale] === name);
}

import type { Language } from "./languages.ts";
import { listRanges, nearestTag } from "./nearest-tag.ts";

/** The name of a record for readers of one language. */
export interface LocalName {
  /** In that language if the record has one, else the main name. */
  readonly name: string;
  /** For `lang`: the language of `name`, if known. */
  readonly lang: string | undefined;
  /** The main name and its language, if known; undefined if `name` is the main name. */
  readonly other: { readonly name: string; readonly lang: string | undefined } | undefined;
}

/** The name of a record from its main `name` and its `names` by locale (`ru`, `pt-BR`). */
export function localName(
  { name, names }: { name: string; names?: Record<string, string> | null },
  language: Language,
): LocalName {
  const locale = nearestTag(language, Object.keys(names ?? {}));
  const local = locale === undefined ? undefined : names?.[locale];
  const lang = Object.keys(names ?? {}).find((tag) => names?.[tag] === name);
  if (local === undefined) return { name, lang, other: undefined };
  if (local === name) return { name, lang: locale, other: undefined };
  return { name: local, lang: locale, other: { name, lang } };
}

/** The same name as an SQL expression for order by, over the columns `name` and `names` of a table, with its bindings. */
export function localNameSql(language: Language, table?: string): { sql: string; bindings: string[] } {
  const [name, names] = ["name", "names"].map((column) => (table ? `${table}.${column}` : column));
  const regional = `select value from jsonb_each_text(${names}) where starts_with(key, ?) order by key collate "C" limit 1`;
  const ranges = listRanges(language);
  return {
    sql: `coalesce(${ranges.map(() => `${names} ->> ?, (${regional})`).join(", ")}, ${name})`,
    bindings: ranges.flatMap((range) => [range, `${range}-`]),
  };
}

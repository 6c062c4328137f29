/**
 * Words that Postgres takes for no table's name without quotes. Source: the reserved ones of
 * https://www.postgresql.org/docs/current/sql-keywords-appendix.html
 */
const KEYWORDS = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
   concurrently constraint create cross current_catalog current_date current_role current_schema current_time
   current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
   full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
   localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning
   right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user
   using variadic verbose when where window with`.split(/\s+/),
);

/** What the site's statements call their parts beside a kind's table, and a column of every kind. */
const PARTS = new Set(
  `best candidates categories change found looked name older omitted ordered rare sample scored shown siblings traits
   weighed`.split(/\s+/),
);

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word) || PARTS.has(word);
}

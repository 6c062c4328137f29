import type { Knex } from "knex";

const RECORD_AT = "record_at(text, jsonb, timestamptz, timestamptz)";
const BETWEEN = "records_between(text, timestamptz, timestamptz, integer)";

/** Postgres runs the body of a function that returns rows as a part of the query, without a start for each call. */
const ROWS = [["RETURNS jsonb", "RETURNS SETOF jsonb"]] as const;

/** What `records_between` reads, before and after: `record_at` only where it can differ from null or the record. */
const WHERE_NEEDED = [
  [
    "select id, to_jsonb(e) as record, timestamptz 'infinity' as removed_at from",
    "select id, to_jsonb(e) as record, created_at, updated_at, timestamptz 'infinity' as removed_at from",
  ],
  [
    "select t.id, t.record, t.removed_at from",
    "select t.id, t.record, (t.record ->> 'created_at')::timestamptz, null, t.removed_at from",
  ],
  [
    "select id, record_at($1, record, removed_at, $2), record_at($1, record, removed_at, $3) from record",
    `select id, case when created_at <= $2 then (select * from record_at($1, record, removed_at, $2)) end,
               case when updated_at <= $3 then record else (select * from record_at($1, record, removed_at, $3)) end
          from record`,
  ],
] as const;

type Replacements = readonly (readonly [before: string, after: string])[];

/**
 * Compares two times in a third of the CPU, or in a tenth if the records are new. New records were not there before, and
 * records without changes are as they were.
 */
export async function up(knex: Knex): Promise<void> {
  await replaceIn(knex, RECORD_AT, ROWS);
  await replaceIn(knex, BETWEEN, WHERE_NEEDED);
}

export async function down(knex: Knex): Promise<void> {
  await replaceIn(knex, BETWEEN, reversed(WHERE_NEEDED));
  await replaceIn(knex, RECORD_AT, reversed(ROWS));
}

function reversed(replacements: Replacements): Replacements {
  return replacements.map(([before, after]) => [after, before]);
}

/** Edits a function, whose other text is not repeated here. Dropped first, because its type may change. */
async function replaceIn(knex: Knex, name: string, replacements: Replacements): Promise<void> {
  const { rows } = await knex.raw("select pg_get_functiondef(cast(? as regprocedure)) as text", [name]);
  const text = replacements.reduce((edited, [before, after]) => {
    if (!edited.includes(before)) throw new Error(`${name} has no ${before}`);
    return edited.replace(before, () => after);
  }, rows[0].text as string);
  await knex.raw(`drop function ${name}`);
  await knex.raw(text.replaceAll("?", "\\?"));
}

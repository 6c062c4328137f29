import type { Knex } from "knex";

/** What the statement that continues a removed record's history reads from its tombstone, before and after. */
const CONTINUED = [
  ["returning t.id, t.record\n", "returning t.id, t.record, t.removed_at\n"],
  [
    "(kind, entry_id, revision, changed_at, before)\n          select $1, a.id",
    "(kind, entry_id, revision, changed_at, absent_since, before)\n          select $1, a.id",
  ],
  ["b.revision + 1, a.updated_at, case", "b.revision + 1, a.updated_at, back.removed_at, case"],
] as const;

/**
 * Makes the catalogue readable as it was at an earlier time. A record that comes back loses its tombstone, so its next
 * revision keeps since when it was gone.
 *
 * `record_at` undoes the revisions of a record after a time. It returns null for one that was not there then, and JSON's
 * null if the revisions of that time are no longer kept. The indexes find what changed between two times, and the records
 * that other names or categories would sort elsewhere.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_revisions add column absent_since timestamptz");
  await replaceInCount(knex, CONTINUED);
  await knex.raw("create index catalogue_revisions_changed on catalogue_revisions (kind, changed_at)");
  await knex.raw(`
    create index catalogue_revisions_moved on catalogue_revisions (kind, entry_id, changed_at)
     where before -> 'name' is not null or before -> 'category' is not null or absent_since is not null`);
  await knex.raw(`
    create function record_at(of_kind text, record jsonb, removed_at timestamptz, at timestamptz)
    returns jsonb language sql stable parallel safe cost 10000 as $$
      select case
        when at < (record ->> 'created_at')::timestamptz or at >= removed_at or at >= later.absent_since then null
        when known.changed_at is null and later.first_kept > 2 then 'null'
        else record || later.whole || jsonb_build_object(
          'names', ${restored("names")}, 'descriptions', ${restored("descriptions")},
          'attributes', ${restored("attributes")},
          'revision', coalesce(later.first_kept - 1, (record ->> 'revision')::integer),
          'updated_at', case when later.first_kept is null then record -> 'updated_at'
                             else to_jsonb(coalesce(known.changed_at, (record ->> 'created_at')::timestamptz)) end)
        end
        from (
          select min(r.revision) as first_kept,
                 (array_agg(r.absent_since order by r.revision))[1] as absent_since,
                 coalesce(jsonb_object_agg(old.key, old.value order by r.revision desc)
                            filter (where old.key is not null and old.part is null), '{}') as whole,
                 ${["names", "descriptions", "attributes"].map(replaced).join(",\n                 ")}
            from catalogue_revisions r
            left join lateral (
              select null as part, key, value from jsonb_each(r.before)
               where key not in ('names', 'descriptions', 'attributes')
               union all
              select part, key, value
                from unnest('{names,descriptions,attributes}'::text[]) as part, jsonb_each(r.before -> part)) old on true
           where r.kind = of_kind and r.entry_id = record ->> 'id' and r.changed_at > at) later,
        (select max(r.changed_at) as changed_at from catalogue_revisions r
          where r.kind = of_kind and r.entry_id = record ->> 'id' and r.changed_at <= at) known
    $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop function record_at(text, jsonb, timestamptz, timestamptz)");
  await knex.raw("drop index catalogue_revisions_moved");
  await knex.raw("drop index catalogue_revisions_changed");
  await replaceInCount(
    knex,
    CONTINUED.map(([before, after]) => [after, before]),
  );
  await knex.raw("alter table catalogue_revisions drop column absent_since");
}

/** SQL: an object of the oldest values of a column's keys; an aggregate of JSON keeps the last of equal keys. */
function replaced(column: string): string {
  return `coalesce(jsonb_object_agg(old.key, old.value order by r.revision desc)
                            filter (where old.part = '${column}'), '{}') as ${column}`;
}

/** SQL: a column with its old values. A null stands for a key that was not there. */
function restored(column: string): string {
  return `(coalesce(record -> '${column}', '{}') || later.${column})
            - array(select key from jsonb_each(later.${column}) where value = 'null')`;
}

/** Edits a function that other migrations may have changed meanwhile, so their text is not repeated here. */
async function replaceInCount(
  knex: Knex,
  replacements: readonly (readonly [string, string])[],
): Promise<void> {
  const name = "count_catalogue_change()";
  const { rows } = await knex.raw("select pg_get_functiondef(cast(? as regprocedure)) as text", [name]);
  const text = replacements.reduce((edited, [before, after]) => {
    if (!edited.includes(before)) throw new Error(`${name} has no ${before}`);
    return edited.replaceAll(before, () => after);
  }, rows[0].text as string);
  await knex.raw(text.replaceAll("?", "\\?"));
}

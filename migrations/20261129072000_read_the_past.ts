import type { Knex } from "knex";

/** How many revisions of a record are kept; see 20261121101400_keep_revisions.ts. */
const KEPT = 50;

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
 * null if the revisions of that time are no longer kept. The indexes find what changed between two times and the records
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
  await createMovedSince(knex);
  await createBetween(knex);
}

/** The records that lists would find elsewhere or not at all at a time, as they were; `was_there` unless unknown. */
async function createMovedSince(knex: Knex): Promise<void> {
  await knex.raw(`
    create function records_moved_since(of_kind text, at timestamptz)
    returns table (id text, name text, category text, is_here boolean, was_there boolean)
    language plpgsql stable as $function$
    begin
      return query execute format($statement$
        with moved as (
          select r.entry_id as id, bool_or(r.absent_since <= $2) as was_absent,
                 (array_agg(r.before ->> 'name' order by r.revision)
                    filter (where r.before -> 'name' is not null))[1] as name,
                 (array_agg(r.before -> 'category' order by r.revision)
                    filter (where r.before -> 'category' is not null))[1] as category
            from catalogue_revisions r
           where r.kind = $1 and r.changed_at > $2
             and (r.before -> 'name' is not null or r.before -> 'category' is not null or r.absent_since is not null)
           group by r.entry_id
        ), record as (
          select t.* from moved cross join lateral (
            select id, name, category, created_at, revision, true as is_here from %1$I where id = moved.id limit 1) t
          union all
          select id, record ->> 'name', record ->> 'category', (record ->> 'created_at')::timestamptz,
                 (record ->> 'revision')::integer, false
            from catalogue_tombstones
           where kind = $1 and removed_at > $2 and record is not null and not hidden
        )
        select e.id, coalesce(m.name, e.name),
               case when m.category is null then e.category else m.category #>> '{}' end,
               e.is_here, e.created_at <= $2 and m.was_absent is not true and (e.revision <= ${KEPT + 1} or exists (
                 select from catalogue_revisions r where r.kind = $1 and r.entry_id = e.id and r.changed_at <= $2))
          from record e left join moved m using (id)
      $statement$, of_kind) using of_kind, at;
    end $function$`);
}

/** At most so many records that may differ between two times, as they were at each; both are alike if they do not. */
async function createBetween(knex: Knex): Promise<void> {
  await knex.raw(`
    create function records_between(of_kind text, since timestamptz, until timestamptz, most integer)
    returns table (id text, before jsonb, after jsonb) language plpgsql stable as $function$
    begin
      return query execute format($statement$
        with candidate as materialized (
          select entry_id as id from catalogue_revisions where kind = $1 and changed_at > $2 and changed_at <= $3
           union
          select entry_id from catalogue_revisions where kind = $1 and changed_at > $2 and absent_since <= $3
           union
          select id from %1$I where updated_at > $2 and created_at > $2 and created_at <= $3
           union
          select id from catalogue_tombstones where kind = $1 and removed_at > $2
           limit $4
        ), record as (
          select t.* from candidate cross join lateral (
            select id, to_jsonb(e) as record, timestamptz 'infinity' as removed_at from %1$I e where id = candidate.id) t
          union all
          select t.id, t.record, t.removed_at from candidate join catalogue_tombstones t using (id)
           where t.kind = $1 and t.record is not null and not t.hidden
        )
        select id, record_at($1, record, removed_at, $2), record_at($1, record, removed_at, $3) from record
      $statement$, of_kind) using of_kind, since, until, most;
    end $function$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop function records_between(text, timestamptz, timestamptz, integer)");
  await knex.raw("drop function records_moved_since(text, timestamptz)");
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

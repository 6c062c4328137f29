import type { Knex } from "knex";

/** How much of a value, and how many revisions of a record, are kept; see 20261121101400_keep_revisions.ts. */
const LONGEST = 2000;
const KEPT = 50;

/** The catalogue's columns that a revision stores whole. It stores the others key by key. */
const WHOLE = ["name", "category", "description", "image", "popularity", "picture"];
const KEYED = ["names", "descriptions", "attributes"];

/** Ids are not listed for a statement that touches more records; see 20261123130000_follow_catalogue_changes.ts. */
const LISTED_AT_MOST = 1000;

/**
 * Tombstones keep a removed record's last state, and its revisions stay. A record that an import brings back continues
 * its history: its next revision holds the differences. Demo records still leave nothing, and a truncate deletes states
 * and revisions.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table catalogue_tombstones add column record jsonb check (jsonb_typeof(record) = 'object')",
  );
  await knex.raw("create index on catalogue_tombstones (kind, removed_at desc, id)");
  await knex.raw(buryStatement(["removed_at", "version", "import_id", "record"]));
  await knex.raw(forgetFunction("using before b where r.kind = $1 and r.entry_id = b.id and b.demo"));
  await knex.raw(keepFunction("on conflict (kind, entry_id, revision) do nothing"));
  await knex.raw(countFunction(continueStatement()));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    countFunction("'delete from catalogue_tombstones t using touched n where t.kind = $1 and t.id = n.id'"),
  );
  await knex.raw(keepFunction(""));
  await knex.raw(forgetFunction("using before b where r.kind = $1 and r.entry_id = b.id"));
  await knex.raw(buryStatement(["removed_at", "version", "import_id"]));
  await knex.raw("alter table catalogue_tombstones drop column record");
  await knex.raw("drop index if exists catalogue_tombstones_kind_removed_at_id_idx");
}

/** Only a delete keeps last states. A truncate keeps none, and a record whose id changed has not gone. */
function buryStatement(columns: readonly string[]): string {
  const hasRecord = columns.includes("record");
  const record = `case source when 'touched' then ', to_jsonb(gone) - ''demo''' else ', null::jsonb' end`;
  return `
    create or replace function bury_statement(source text) returns text language sql immutable as $$
      select format('insert into catalogue_tombstones (kind, id, version, import_id${hasRecord ? ", record" : ""})
        select $1, id, $2, nullif(current_setting(''almanac.import_id'', true), '''')::bigint %s
          from (select * from %s) as gone where not demo
        on conflict (kind, id) do update
          set ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}',
        ${hasRecord ? record : "''"}, source)
    $$`;
}

function forgetFunction(ofDeleted: string): string {
  return `
    create or replace function forget_catalogue_revisions() returns trigger language plpgsql as $function$
    begin
      if tg_op = 'TRUNCATE' then
        delete from catalogue_revisions where kind = tg_table_name;
      else
        execute 'delete from catalogue_revisions r ${ofDeleted}' using tg_table_name;
      end if;
      return null;
    end $function$`;
}

function keepFunction(onConflict: string): string {
  return `
    create or replace function keep_catalogue_revisions() returns trigger language plpgsql as $function$
    begin
      if not exists (select from after) then return null; end if;
      execute $statement$
        insert into catalogue_revisions (kind, entry_id, revision, changed_at, before)
        select $1, id, a.revision, a.updated_at, ${replacedValues()}
          from before b join after a using (id)
         where a.revision > b.revision
        ${onConflict}
      $statement$ using tg_table_name;
      execute $statement$
        delete from catalogue_revisions r using after a
         where a.revision > ${KEPT + 1}
           and r.kind = $1 and r.entry_id = a.id and r.revision <= a.revision - ${KEPT}
      $statement$ using tg_table_name;
      return null;
    end $function$`;
}

/**
 * SQL: a statement, as text, that removes the tombstones of inserted records and continues their history. Its update
 * makes a revision of its own without changes, which the one here replaces.
 */
function continueStatement(): string {
  return `format($statement$
        with back as (
          delete from catalogue_tombstones t using touched n where t.kind = $1 and t.id = n.id
          returning t.id, t.record
        ), revised as (
          insert into catalogue_revisions (kind, entry_id, revision, changed_at, before)
          select $1, a.id, b.revision + 1, a.updated_at, ${replacedValues().replaceAll("%", "%%")}
            from touched a join back using (id)
           cross join lateral jsonb_populate_record(null::%1$I, back.record) as b
           where back.record is not null
        )
        update %1$I as t
           set revision = (back.record ->> 'revision')::integer + 1,
               created_at = least(t.created_at, (back.record ->> 'created_at')::timestamptz)
          from back where t.id = back.id and back.record is not null
      $statement$, tg_table_name)`;
}

function countFunction(endTombstones: string): string {
  return `
    create or replace function count_catalogue_change() returns trigger language plpgsql as $$
    declare
      counted bigint;
      is_listed boolean := false;
    begin
      if tg_op <> 'TRUNCATE' then
        if not exists (select from touched) then return null; end if;
        is_listed := not exists (select from touched offset ${LISTED_AT_MOST});
      end if;
      update catalogue_versions
         set version = version + 1, listed_from = case when is_listed then listed_from else version + 1 end
       where kind = tg_table_name returning version into counted;
      if is_listed then
        insert into catalogue_changes (kind, version, id) select tg_table_name, counted, id from touched;
        if counted % 100 = 0 then perform prune_catalogue_changes(tg_table_name); end if;
      else
        delete from catalogue_changes where kind = tg_table_name;
      end if;
      if tg_op = 'DELETE' then
        execute bury_statement('touched') using tg_table_name, counted;
      elsif tg_op = 'INSERT' and exists (select from catalogue_tombstones t where t.kind = tg_table_name) then
        execute ${endTombstones} using tg_table_name;
      end if;
      return null;
    end $$`;
}

/** SQL: what differs between the earlier record \`b\` and the later \`a\`, as a revision stores it. */
function replacedValues(): string {
  return [...WHOLE.map(oldValue), ...KEYED.map(oldKeys)].join(" || ");
}

function oldValue(column: string): string {
  return `case when a.${column} is distinct from b.${column}
    then jsonb_build_object('${column}', ${shortened(`to_jsonb(b.${column})`)}) else '{}' end`;
}

function oldKeys(column: string): string {
  return `case when a.${column} is distinct from b.${column} then jsonb_build_object('${column}', (
      select jsonb_object_agg(key, ${shortened("value")})
        from (select key, value from jsonb_each(b.${column}) where (a.${column} -> key) is distinct from value
               union all
              select key, 'null' from jsonb_object_keys(a.${column}) as key where b.${column} -> key is null) as old))
    else '{}' end`;
}

function shortened(value: string): string {
  return `case when pg_column_size(${value}) <= ${LONGEST} then ${value} else shorten_revision_value(${value}) end`;
}

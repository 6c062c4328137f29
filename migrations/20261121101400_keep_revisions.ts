import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** How many revisions of a record are kept. */
const KEPT = 50;

/** How many characters of a value are kept. */
const LONGEST = 2000;

/**
 * What each revision of a record replaced: the old values of the changed columns, and of `names` and `attributes` only
 * the changed keys; null where there was none. The new values are in the next revision or in the record: storing them
 * too would halve the speed of imports. The first revision is the original record and has no row.
 *
 * The triggers fire per statement, so that an import of many thousands of rows stays one statement.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table catalogue_revisions (
      kind text not null,
      entry_id text collate "C" not null,
      revision integer not null check (revision > 1),
      changed_at timestamptz not null,
      before jsonb not null check (jsonb_typeof(before) = 'object'),
      primary key (kind, entry_id, revision)
    )`);
  await addShortener(knex);
  await addKeeper(knex);
  await addRemover(knex);
  for (const kind of KINDS) {
    await addTrigger(knex, kind, "update", "referencing old table as before new table as after", "keep");
    await addTrigger(knex, kind, "delete", "referencing old table as before", "forget");
    await addTrigger(knex, kind, "truncate", "", "forget");
  }
}

/** Truncates a long value. A nested one becomes text that way. */
async function addShortener(knex: Knex): Promise<void> {
  await knex.raw(`
    create function shorten_revision_value(value jsonb) returns jsonb language sql immutable parallel safe as $$
      select case when length(value #>> '{}') > ${LONGEST}
                  then to_jsonb(left(value #>> '{}', ${LONGEST}) || '…')
                  else value end
    $$`);
}

/**
 * A change is a revision if it raised the record's count; becoming demo data is not one. The trigger plans its
 * statements each time (`execute`): a plan cached for one changed record would compare each of 100,000 with each.
 */
async function addKeeper(knex: Knex): Promise<void> {
  const columns = ["name", "category", "description", "image", "popularity"].map(oldValue);
  const before = [...columns, ...["names", "attributes"].map(oldKeys)].join(" || ");
  await knex.raw(`
    create function keep_catalogue_revisions() returns trigger language plpgsql as $function$
    begin
      if not exists (select from after) then return null; end if;
      execute $statement$
        insert into catalogue_revisions (kind, entry_id, revision, changed_at, before)
        select $1, id, a.revision, a.updated_at, ${before}
          from before b join after a using (id)
         where a.revision > b.revision
      $statement$ using tg_table_name;
      execute $statement$
        delete from catalogue_revisions r using after a
         where a.revision > ${KEPT + 1}
           and r.kind = $1 and r.entry_id = a.id and r.revision <= a.revision - ${KEPT}
      $statement$ using tg_table_name;
      return null;
    end $function$`);
}

/** SQL: an object with the old value of a column if it changed, else an empty one. */
function oldValue(column: string): string {
  return `case when a.${column} is distinct from b.${column}
    then jsonb_build_object('${column}', ${shortened(`to_jsonb(b.${column})`)}) else '{}' end`;
}

/** SQL: the same for each key of a column. */
function oldKeys(column: string): string {
  return `case when a.${column} is distinct from b.${column} then jsonb_build_object('${column}', (
      select jsonb_object_agg(key, ${shortened("value")})
        from (select key, value from jsonb_each(b.${column}) where (a.${column} -> key) is distinct from value
               union all
              select key, 'null' from jsonb_object_keys(a.${column}) as key where b.${column} -> key is null) as old))
    else '{}' end`;
}

/** Most values are short enough even in bytes. Counting their characters would double the time. */
function shortened(value: string): string {
  return `case when pg_column_size(${value}) <= ${LONGEST} then ${value} else shorten_revision_value(${value}) end`;
}

/** Removing a record removes its history. A later record with the same id is a new one. */
async function addRemover(knex: Knex): Promise<void> {
  await knex.raw(`
    create function forget_catalogue_revisions() returns trigger language plpgsql as $function$
    begin
      if tg_op = 'TRUNCATE' then
        delete from catalogue_revisions where kind = tg_table_name;
      else
        execute 'delete from catalogue_revisions r using before b where r.kind = $1 and r.entry_id = b.id'
          using tg_table_name;
      end if;
      return null;
    end $function$`);
}

async function addTrigger(
  knex: Knex,
  kind: string,
  event: string,
  rows: string,
  verb: "keep" | "forget",
): Promise<void> {
  await knex.raw(`
    create trigger ${verb}_revisions_on_${event} after ${event} on ${kind} ${rows}
    for each statement execute function ${verb}_catalogue_revisions()`);
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw("drop trigger keep_revisions_on_update on ??", [kind]);
    for (const event of ["delete", "truncate"]) {
      await knex.raw("drop trigger ?? on ??", [`forget_revisions_on_${event}`, kind]);
    }
  }
  await knex.raw("drop function keep_catalogue_revisions()");
  await knex.raw("drop function forget_catalogue_revisions()");
  await knex.raw("drop function shorten_revision_value(jsonb)");
  await knex.schema.dropTable("catalogue_revisions");
}

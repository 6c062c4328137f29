import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** Revisions that are kept of one record. */
const KEPT = 50;

/** Characters that are kept of one value. */
const LONGEST = 2000;

/**
 * What every revision of a record replaced: the old values of the columns that changed, of `names` and `attributes` only
 * of the keys that did, null for what was not there. What they became is in the next revision that changed them, or in
 * the record itself (see src/catalogue/revisions.ts): to keep it too would make an import of changes half as fast. The
 * first revision is the record as it came, and has no row here.
 *
 * Triggers keep it, one for a statement rather than for a row, so that an import of many thousands stays one.
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

/** A value without what is past its first characters; what is nested becomes text by that. */
async function addShortener(knex: Knex): Promise<void> {
  await knex.raw(`
    create function shorten_revision_value(value jsonb) returns jsonb language sql immutable parallel safe as $$
      select case when length(value #>> '{}') > ${LONGEST}
                  then to_jsonb(left(value #>> '{}', ${LONGEST}) || '…')
                  else value end
    $$`);
}

/**
 * A revision is what counted one up: whether a record is demo data is none. The statements are planned anew each time
 * (`execute`): a plan that was made for one changed record would compare each of 100,000 with each.
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

/** SQL: an object with the old value of a column that changed, else one without. */
function oldValue(column: string): string {
  return `case when a.${column} is distinct from b.${column}
    then jsonb_build_object('${column}', ${shortened(`to_jsonb(b.${column})`)}) else '{}' end`;
}

/** SQL: the same of the keys of a column that changed. */
function oldKeys(column: string): string {
  return `case when a.${column} is distinct from b.${column} then jsonb_build_object('${column}', (
      select jsonb_object_agg(key, ${shortened("value")})
        from (select key, value from jsonb_each(b.${column}) where (a.${column} -> key) is distinct from value
               union all
              select key, 'null' from jsonb_object_keys(a.${column}) as key where b.${column} -> key is null) as old))
    else '{}' end`;
}

/** Most values are short by their bytes already; to count their characters would take as long as all else. */
function shortened(value: string): string {
  return `case when pg_column_size(${value}) <= ${LONGEST} then ${value} else shorten_revision_value(${value}) end`;
}

/** A record takes its history with it: one that comes again with its id is a new one. */
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

import type { Knex } from "knex";

/** How much of a value, and how many revisions of a record, are kept; see 20261121101400_keep_revisions.ts. */
const LONGEST = 2000;
const KEPT = 50;

const COLUMNS = ["name", "category", "description", "image", "popularity"];

/** A new picture made a revision without content, so the page's history was shorter than the record's count. */
export async function up(knex: Knex): Promise<void> {
  await keepRevisionsOf(knex, [...COLUMNS, "picture"]);
}

export async function down(knex: Knex): Promise<void> {
  await keepRevisionsOf(knex, COLUMNS);
}

/** Replaces the trigger function that keeps revisions; it stores these columns whole. */
async function keepRevisionsOf(knex: Knex, columns: readonly string[]): Promise<void> {
  const keyed = ["names", "descriptions", "attributes"].map(oldKeys);
  const before = [...columns.map(oldValue), ...keyed].join(" || ");
  await knex.raw(`
    create or replace function keep_catalogue_revisions() returns trigger language plpgsql as $function$
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

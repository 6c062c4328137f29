import type { Knex } from "knex";

/** How much of a value, and how many revisions of a record, are kept; see 20261121101400_keep_revisions.ts. */
const LONGEST = 2000;
const KEPT = 50;

/**
 * Texts of imported records in several languages. Each record has its own descriptions, as it has `names`. The table
 * `catalogue_words` stores the names of a category or an attribute's value once: a column of each record would repeat
 * them a million times. Its `key` is the attribute, blank for categories; `kind` is the import's.
 *
 * The setting `catalogue_words` counts changes of the table, so that every process notices them.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of await tables(knex)) {
    await knex.raw(
      "alter table ?? add column descriptions jsonb not null default '{}' check (jsonb_typeof(descriptions) = 'object')",
      [table],
    );
  }
  await knex.raw(`
    create table catalogue_words (
      kind text collate "C" not null,
      key text collate "C" not null,
      value text collate "C" not null,
      language text collate "C" not null,
      label text not null check (label <> ''),
      primary key (kind, key, value, language)
    )`);
  await keepRevisionsOf(knex, ["names", "descriptions", "attributes"]);
}

export async function down(knex: Knex): Promise<void> {
  await keepRevisionsOf(knex, ["names", "attributes"]);
  await knex.schema.dropTable("catalogue_words");
  await knex("settings").where({ key: "catalogue_words" }).delete();
  for (const table of await tables(knex)) await knex.raw("alter table ?? drop column descriptions", [table]);
}

/** The tables of all kinds, including an operator's own, and the shop's. */
async function tables(knex: Knex): Promise<string[]> {
  const kinds: string[] = await knex("catalogue_versions").orderBy("kind").pluck("kind");
  return [...kinds, "donate_items"];
}

/** Replaces the trigger function that keeps revisions; it compares these columns key by key. */
async function keepRevisionsOf(knex: Knex, keyed: readonly string[]): Promise<void> {
  const columns = ["name", "category", "description", "image", "popularity"].map(oldValue);
  const before = [...columns, ...keyed.map(oldKeys)].join(" || ");
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

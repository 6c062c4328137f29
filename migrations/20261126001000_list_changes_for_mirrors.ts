import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** Ids per row: an import of a million records adds a thousand rows. */
const PER_ROW = 1000;

/**
 * What mirrors follow, for weeks and through imports of any size; `catalogue_changes` drops long lists. Each statement
 * lists the ids of all records that it touches.
 *
 * The triggers' names sort after those that raise the version (`count_`, `note_`, then `x_`), so the row of
 * `catalogue_versions` is locked and versions have the order of commits. The list is complete after the version
 * `followed_from` and the time `followed_since`. `transaction` shows which versions were committed together.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_versions add column followed_from bigint not null default 0");
  await knex.raw(
    "alter table catalogue_versions add column followed_since timestamptz not null default '-infinity'",
  );
  await knex.raw(`
    create table catalogue_change_lists (
      kind text not null,
      version bigint not null,
      part integer not null,
      at timestamptz not null default clock_timestamp(),
      transaction xid8 not null default pg_current_xact_id(),
      ids text[] collate "C" not null check (cardinality(ids) between 1 and ${PER_ROW}),
      primary key (kind, version, part)
    )`);
  await knex.raw("create index on catalogue_change_lists (kind, at)");
  await knex.raw("create index on catalogue_change_lists (kind, transaction, version)");
  await createFunctions(knex);
  const own: string[] = await knex("own_kinds").pluck("kind");
  for (const kind of [...KINDS, ...own]) await addTriggers(knex, kind);
  await knex.raw(`
    create trigger forget_lists after delete on catalogue_versions
    for each row execute function forget_change_lists()`);
  // Runs once no other transaction can write any more.
  await knex.raw("update catalogue_versions set followed_from = version, followed_since = clock_timestamp()");
}

async function createFunctions(knex: Knex): Promise<void> {
  await knex.raw(`
    create function list_changes() returns trigger language plpgsql as $$
    begin
      insert into catalogue_change_lists (kind, version, part, ids)
      select tg_table_name, v.version, v.next_part + t.part, t.ids
        from (select version, (select coalesce(max(part) + 1, 0) from catalogue_change_lists l
                                where l.kind = tg_table_name and l.version = c.version) as next_part
                from catalogue_versions c where kind = tg_table_name) v,
             (select part, array_agg(id) as ids
                from (select id, (row_number() over () - 1)::integer / ${PER_ROW} as part from touched) numbered
               group by part) t;
      return null;
    end $$`);
  await knex.raw(`
    create function list_old_id() returns trigger language plpgsql as $$
    begin
      insert into catalogue_change_lists (kind, version, part, ids)
      select kind, version, (select coalesce(max(part) + 1, 0) from catalogue_change_lists l
                              where l.kind = c.kind and l.version = c.version), array[old.id]
        from catalogue_versions c where kind = tg_table_name;
      return null;
    end $$`);
  // A truncate is not listed. It may commit later than now, and clients that continue from a time must not miss it.
  await knex.raw(`
    create function end_change_lists() returns trigger language plpgsql as $$
    begin
      delete from catalogue_change_lists where kind = tg_table_name;
      update catalogue_versions
         set followed_from = version, followed_since = clock_timestamp() + interval '1 hour'
       where kind = tg_table_name;
      return null;
    end $$`);
  await knex.raw(`
    create function forget_change_lists() returns trigger language plpgsql as $$
    begin
      delete from catalogue_change_lists where kind = old.kind;
      return null;
    end $$`);
}

async function addTriggers(knex: Knex, kind: string): Promise<void> {
  for (const event of ["insert", "update", "delete"]) {
    await knex.raw(`
      create trigger x_list_${event} after ${event} on ${kind}
      referencing ${event === "delete" ? "old" : "new"} table as touched
      for each statement execute function list_changes()`);
  }
  await knex.raw(`
    create trigger x_list_id_change after update of id on ${kind}
    for each row when (old.id <> new.id) execute function list_old_id()`);
  await knex.raw(`
    create trigger x_list_truncate after truncate on ${kind}
    for each statement execute function end_change_lists()`);
}

export async function down(knex: Knex): Promise<void> {
  const own: string[] = await knex("own_kinds").pluck("kind");
  for (const kind of [...KINDS, ...own]) {
    for (const event of ["insert", "update", "delete", "id_change", "truncate"])
      await knex.raw(`drop trigger x_list_${event} on ${kind}`);
  }
  await knex.raw("drop trigger forget_lists on catalogue_versions");
  for (const name of ["list_changes", "list_old_id", "end_change_lists", "forget_change_lists"])
    await knex.raw(`drop function ${name}()`);
  await knex.schema.dropTable("catalogue_change_lists");
  await knex.raw("alter table catalogue_versions drop column followed_from, drop column followed_since");
}

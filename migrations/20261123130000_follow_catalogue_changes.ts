import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** Ids are not listed for a statement that touches more records, so that imports stay fast. */
const LISTED_AT_MOST = 1000;

/** How many of the latest listed changes of each kind are kept. */
const KEPT = 20_000;

/**
 * Tables that let a client follow the catalogue:
 * - `catalogue_changes`: the ids that each version of a kind touched, complete after its `listed_from`. A client with
 *   an older version must read everything.
 * - `catalogue_tombstones`: removed records, until one with the same id is added. Demo records leave none.
 * - `imports`: one row per import. `almanac.import_id`, local to the import's transaction, sets it for tombstones.
 */
export async function up(knex: Knex): Promise<void> {
  await createTables(knex);
  await createListing(knex);
  await createBurial(knex);
  await knex.raw(
    countFunction(`
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
      execute 'delete from catalogue_tombstones t using touched n where t.kind = $1 and t.id = n.id'
        using tg_table_name;
    end if;
    return null;`),
  );
  for (const kind of KINDS) await addTriggers(knex, kind);
}

async function createTables(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_versions add column listed_from bigint not null default 0");
  await knex.raw("update catalogue_versions set listed_from = version");
  await knex.raw(`
    create table catalogue_changes (
      kind text not null,
      version bigint not null,
      id text collate "C" not null,
      primary key (kind, version, id)
    )`);
  await knex.raw(`
    create table imports (
      id bigint generated always as identity primary key,
      kind text not null,
      at timestamptz not null default now()
    )`);
  await knex.raw(`
    create table catalogue_tombstones (
      kind text not null,
      id text collate "C" not null,
      removed_at timestamptz not null default clock_timestamp(),
      version bigint not null,
      import_id bigint references imports on delete set null,
      primary key (kind, id)
    )`);
  await knex.raw("create index on catalogue_tombstones (kind, version, id)");
  await knex.raw(`
    create function forget_catalogue_kind() returns trigger language plpgsql as $$
    begin
      delete from catalogue_changes where kind = old.kind;
      delete from catalogue_tombstones where kind = old.kind;
      return null;
    end $$`);
  await knex.raw(`
    create trigger forget_kind after delete on catalogue_versions
    for each row execute function forget_catalogue_kind()`);
}

async function createListing(knex: Knex): Promise<void> {
  await knex.raw(`
    create function prune_catalogue_changes(pruned text) returns void language plpgsql as $$
    declare oldest bigint;
    begin
      select version into oldest from catalogue_changes
       where kind = pruned order by version desc, id desc offset ${KEPT} limit 1;
      if not found then return; end if;
      delete from catalogue_changes where kind = pruned and version <= oldest;
      update catalogue_versions set listed_from = greatest(listed_from, oldest) where kind = pruned;
    end $$`);
}

/** Adds tombstones after a delete, a truncate, or a change of a record's id, which no code of this project makes. */
async function createBurial(knex: Knex): Promise<void> {
  await knex.raw(`
    create function bury_statement(source text) returns text language sql immutable as $$
      select format('insert into catalogue_tombstones (kind, id, version, import_id)
        select $1, id, $2, nullif(current_setting(''almanac.import_id'', true), '''')::bigint from %s where not demo
        on conflict (kind, id) do update
          set removed_at = excluded.removed_at, version = excluded.version, import_id = excluded.import_id', source)
    $$`);
  await knex.raw(`
    create function bury_truncated() returns trigger language plpgsql as $$
    begin
      execute bury_statement(tg_table_name)
        using tg_table_name, (select version + 1 from catalogue_versions where kind = tg_table_name);
      return null;
    end $$`);
  await knex.raw(`
    create function note_id_change() returns trigger language plpgsql as $$
    declare counted bigint;
    begin
      update catalogue_versions set version = version + 1 where kind = tg_table_name returning version into counted;
      insert into catalogue_changes (kind, version, id) values (tg_table_name, counted, old.id);
      execute bury_statement(format('(select $3 as id, $4 as demo where not exists (select from %I where id = $3)) gone',
                                    tg_table_name))
        using tg_table_name, counted, old.id, old.demo;
      delete from catalogue_tombstones where kind = tg_table_name and id = new.id;
      return null;
    end $$`);
}

function countFunction(body: string): string {
  return `
    create or replace function count_catalogue_change() returns trigger language plpgsql as $$
    declare
      counted bigint;
      is_listed boolean := false;
    begin
      ${body}
    end $$`;
}

async function addTriggers(knex: Knex, kind: string): Promise<void> {
  await knex.raw(`
    create trigger bury_truncated before truncate on ${kind}
    for each statement execute function bury_truncated()`);
  await knex.raw(`
    create trigger note_id_change after update of id on ${kind}
    for each row when (old.id <> new.id) execute function note_id_change()`);
}

export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw("drop trigger bury_truncated on ??", [kind]);
    await knex.raw("drop trigger note_id_change on ??", [kind]);
  }
  await knex.raw(
    countFunction(`
    if tg_op <> 'TRUNCATE' then
      if not exists (select from touched) then return null; end if;
    end if;
    update catalogue_versions set version = version + 1 where kind = tg_table_name;
    return null;`),
  );
  await knex.raw("drop trigger forget_kind on catalogue_versions");
  for (const name of [
    "forget_catalogue_kind()",
    "bury_truncated()",
    "note_id_change()",
    "bury_statement(text)",
  ]) {
    await knex.raw(`drop function ${name}`);
  }
  await knex.raw("drop function prune_catalogue_changes(text)");
  for (const table of ["catalogue_tombstones", "imports", "catalogue_changes"]) {
    await knex.schema.dropTable(table);
  }
  await knex.raw("alter table catalogue_versions drop column listed_from");
}

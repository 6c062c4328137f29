import type { Knex } from "knex";

/** How many of the latest stamps of each kind are kept. */
const KEPT = 20_000;

/**
 * A random stamp beside each kind's version, new with every change. A database restored from a backup reuses version
 * numbers for other changes; stamps never recur. Equal stamps mean equal records, and a search index on disk shows
 * whether it belongs to this database.
 *
 * The table `catalogue_stamps` keeps the latest stamps: a process with one of them can continue from its version.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_versions add column stamp uuid not null default gen_random_uuid()");
  await knex.raw(`
    create table catalogue_stamps (
      kind text references catalogue_versions on delete cascade,
      version bigint,
      stamp uuid not null,
      primary key (kind, version)
    )`);
  await knex.raw("insert into catalogue_stamps select kind, version, stamp from catalogue_versions");
  await knex.raw(`
    create function stamp_catalogue_version() returns trigger language plpgsql as $$
    begin
      new.stamp := gen_random_uuid();
      return new;
    end $$`);
  await knex.raw(`
    create function list_catalogue_stamp() returns trigger language plpgsql as $$
    begin
      insert into catalogue_stamps (kind, version, stamp) values (new.kind, new.version, new.stamp)
        on conflict (kind, version) do update set stamp = excluded.stamp;
      if new.version % 100 = 0 then
        delete from catalogue_stamps where kind = new.kind and version <= new.version - ${KEPT};
      end if;
      return null;
    end $$`);
  await knex.raw(`
    create trigger stamp before update on catalogue_versions
    for each row when (new.version <> old.version) execute function stamp_catalogue_version()`);
  await knex.raw(`
    create trigger list_stamp after insert or update of version on catalogue_versions
    for each row execute function list_catalogue_stamp()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop trigger list_stamp on catalogue_versions");
  await knex.raw("drop trigger stamp on catalogue_versions");
  await knex.raw("drop function list_catalogue_stamp()");
  await knex.raw("drop function stamp_catalogue_version()");
  await knex.schema.dropTable("catalogue_stamps");
  await knex.raw("alter table catalogue_versions drop column stamp");
}

import type { Knex } from "knex";

/**
 * A kind of the catalogue as one file (NDJSON, gzip), in the database because processes on several machines may serve
 * one site. The column `version` is the kind's version in the file, `shape` identifies everything else that the output
 * depends on. All parts but the last have the same size.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table catalogue_dumps (
      id bigint generated always as identity primary key,
      kind text not null,
      version bigint not null,
      stamp uuid not null,
      shape text not null,
      import_id bigint,
      made_at timestamptz not null default clock_timestamp(),
      seconds double precision not null default 0,
      records integer not null default 0,
      bytes bigint not null default 0,
      sha256 bytea not null default ''
    )`);
  await knex.raw("create index on catalogue_dumps (kind, id)");
  await knex.raw(`
    create table catalogue_dump_parts (
      dump bigint references catalogue_dumps on delete cascade,
      part integer,
      content bytea not null,
      primary key (dump, part)
    )`);
  // The content is already compressed.
  await knex.raw("alter table catalogue_dump_parts alter column content set storage external");
  await knex.raw(`
    create function forget_dumps() returns trigger language plpgsql as $$
    begin
      delete from catalogue_dumps where kind = old.kind;
      return null;
    end $$`);
  await knex.raw(`
    create trigger forget_dumps after delete on catalogue_versions
    for each row execute function forget_dumps()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("drop trigger forget_dumps on catalogue_versions");
  await knex.raw("drop function forget_dumps()");
  await knex.schema.dropTable("catalogue_dump_parts");
  await knex.schema.dropTable("catalogue_dumps");
}

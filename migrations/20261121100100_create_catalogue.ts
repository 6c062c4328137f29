import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * Five tables of the same shape. The game's own id is the key, as text in byte order ("C"), so that ids sort the same
 * on every database. The column `search_text` holds all names, normalised and separated by newlines (see
 * src/search/normalise.ts). A pg_trgm index finds any part of it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("create extension if not exists pg_trgm");
  for (const kind of KINDS) {
    await knex.raw(`
      create table ${kind} (
        id text collate "C" primary key check (id <> '' and char_length(id) <= 200),
        name text not null check (name <> '' and char_length(name) <= 300),
        names jsonb not null default '{}' check (jsonb_typeof(names) = 'object'),
        category text check (category <> ''),
        description text check (description <> ''),
        image text check (image <> ''),
        attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
        popularity double precision check (popularity >= 0 and popularity < 'Infinity'),
        search_text text not null check (search_text like E'\\n%\\n'),
        demo boolean not null default false,
        revision integer not null default 1 check (revision > 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        check (updated_at >= created_at)
      )`);
    await knex.raw(`create index ${kind}_updated on ${kind} (updated_at desc, id)`);
    await knex.raw(`create index ${kind}_name on ${kind} (name collate "C", id)`);
    await knex.raw(`create index ${kind}_category on ${kind} (category, name collate "C", id)`);
    await knex.raw(`create index ${kind}_search_text on ${kind} using gin (search_text gin_trgm_ops)`);
  }
}

/** Keeps the extension: it may be older than this migration, and someone else's index may need it. */
export async function down(knex: Knex): Promise<void> {
  for (const kind of [...KINDS].reverse()) await knex.schema.dropTable(kind);
}

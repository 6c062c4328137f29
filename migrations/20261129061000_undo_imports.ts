import type { Knex } from "knex";

/**
 * Records what an import did, so that it can be undone. `via` is the way it was made; null marks other writes. `words` has
 * the names of categories and values that it changed, with the former ones.
 *
 * `import_changes` has the records as they were, the rows of other tables that went with them, and the sources that they
 * belonged to before and after. `written_at` is the `updated_at` that the import left, so any later change shows. There
 * are no foreign keys, because their checks would slow down large imports.
 *
 * `record_sources` has the source that imported a record last. It is a table of its own, because copies of the catalogue
 * need not follow a new source. `import_sources` has the settings of sources, and `import_uploads` the files that operators
 * have sent, applied or not.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table imports
      add column source text collate "C",
      add column file text,
      add column via text check (via in ('site', 'command')),
      add column user_id bigint references users on delete set null,
      add column user_name text,
      add column added integer not null default 0,
      add column changed integer not null default 0,
      add column removed integer not null default 0,
      add column words jsonb,
      add column undo_of bigint unique`);
  await knex.raw("create index on imports (user_id)");
  await knex.raw("create index on imports (id) where via is not null");
  await knex.raw(`
    create table import_changes (
      import_id bigint not null,
      id text collate "C" not null,
      action text not null check (action in ('added', 'changed', 'removed', 'kept')),
      written_at timestamptz,
      before jsonb,
      dependents jsonb,
      source text collate "C",
      new_source text collate "C",
      primary key (import_id, id)
    )`);
  await knex.raw(`
    create table record_sources (
      kind text not null,
      id text collate "C" not null,
      source text collate "C" not null,
      primary key (kind, id)
    )`);
  await knex.raw(`
    create table import_sources (
      kind text not null,
      name text collate "C" not null,
      settings jsonb not null,
      saved_at timestamptz not null default now(),
      primary key (kind, name)
    )`);
  await knex.raw(`
    create table import_uploads (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      user_id bigint not null references users on delete cascade,
      kind text not null,
      source text collate "C" not null,
      file text not null,
      content bytea not null,
      sample jsonb not null,
      settings jsonb not null,
      state text not null default 'new' check (state in ('new', 'checking', 'checked', 'applying', 'applied', 'failed')),
      progress jsonb,
      result jsonb,
      import_id bigint
    )`);
  await knex.raw("alter table import_uploads alter column content set storage external");
  await knex.raw("create index on import_uploads (user_id)");
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ["import_uploads", "import_sources", "record_sources", "import_changes"])
    await knex.schema.dropTable(table);
  await knex.raw(`
    alter table imports
      drop column source, drop column file, drop column via, drop column user_id, drop column user_name,
      drop column added, drop column changed, drop column removed, drop column words, drop column undo_of`);
}

import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * What lists are filtered by. The index answers which records hold an attribute's value; `catalogue_facets` keeps, for
 * the version of a kind that it names, which attributes there are to filter by, so that not every process has to look
 * through the records again (see src/catalogue/facets-memory.ts).
 */
export async function up(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`create index ${kind}_attributes on ${kind} using gin (attributes jsonb_path_ops)`);
  }
  await knex.raw(`
    create table catalogue_facets (
      kind text primary key references catalogue_versions (kind),
      version bigint not null,
      facets jsonb not null check (jsonb_typeof(facets) = 'object'),
      found_at timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("catalogue_facets");
  for (const kind of KINDS) await knex.raw(`drop index ${kind}_attributes`);
}

import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * What lists are filtered by. The index finds the records with an attribute's value. The table `catalogue_facets` keeps
 * the attributes to filter by for one version of a kind, so that not every process has to read all records (see
 * src/catalogue/facets-memory.ts).
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

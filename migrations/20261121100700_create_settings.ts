import type { Knex } from "knex";

/** The site's own state, for example that it has loaded or removed its demo data. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table settings (
      key text primary key check (key <> ''),
      value jsonb not null,
      updated_at timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("settings");
}

import type { Knex } from "knex";

/** What the site must remember about itself, such as that its demo data was loaded (or removed) once. */
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

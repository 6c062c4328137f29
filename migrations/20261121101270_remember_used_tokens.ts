import type { Knex } from "knex";

/** A user who opens a mailed link twice should read that the link was used, not that it does not exist. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table mail_tokens add column used_at timestamptz");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table mail_tokens drop column used_at");
}

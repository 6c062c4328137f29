import type { Knex } from "knex";

/** Who opens a mailed link a second time should read that it was used, not that there is no such link. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table mail_tokens add column used_at timestamptz");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table mail_tokens drop column used_at");
}

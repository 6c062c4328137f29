import type { Knex } from "knex";

/** The form that created a key, so that submitting it again creates no second one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys add column form_id uuid");
  await knex.raw("alter table api_keys add constraint api_keys_form_once unique (user_id, form_id)");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table api_keys drop column form_id");
}

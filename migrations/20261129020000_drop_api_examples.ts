import type { Knex } from "knex";

/** The examples of the OpenAPI document are in a file. */
export async function up(knex: Knex): Promise<void> {
  await knex("settings").where({ key: "api_examples" }).delete();
}

/** The previous version creates its examples again. */
export async function down(): Promise<void> {}

import type { Knex } from "knex";

/** The examples of the API's document are in a file. */
export async function up(knex: Knex): Promise<void> {
  await knex("settings").where({ key: "api_examples" }).delete();
}

/** The version before makes them again. */
export async function down(): Promise<void> {}

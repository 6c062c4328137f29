import type { Knex } from "knex";

/**
 * A server's last response, without the counts. The table has no history and is in no backup, because nobody needs the
 * names of players who have left.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table server_details (
      server_number integer primary key references servers (number) on delete cascade,
      map text,
      version text,
      country text,
      players jsonb not null check (jsonb_typeof(players) = 'array')
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("server_details");
}

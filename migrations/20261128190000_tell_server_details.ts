import type { Knex } from "knex";

/**
 * What a server's last answer tells beside the counts. A table of its own, which no backup has and no history is made of:
 * names of players are nobody's business once they have left.
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

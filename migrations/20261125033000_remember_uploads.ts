import type { Knex } from "knex";

/**
 * The picture that an operator gave a record by hand, and the one that it replaced: an import that brings that one again
 * leaves the operator's. `picture` is null where the operator removed one. A row only counts while the record still has
 * that picture. `kind` is the record's table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table picture_uploads (
      kind text not null,
      id text collate "C" not null,
      picture text,
      replaced text,
      primary key (kind, id)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("picture_uploads");
}

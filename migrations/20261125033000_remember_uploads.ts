import type { Knex } from "knex";

/**
 * The picture that an operator uploaded for a record, and the one that it replaced: an import with the replaced one
 * keeps the operator's. The column `picture` is null where the operator removed it. A row counts only while the record
 * still has that picture. The column `kind` is the record's table.
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

import type { Knex } from "knex";

const TABLES = ["items", "vehicles", "scripts", "houses", "businesses", "donate_items"];

/**
 * The column `picture` names a picture in the site's store and the size of its large form
 * (src/records/stored-picture.ts). The column `image` stays the address that a source gives. The table `picture_files`
 * is the store of sites with PICTURES=database.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw("alter table ?? add column picture text", [table]);
  await knex.raw(`
    create table picture_files (
      name text collate "C" not null,
      file text collate "C" not null,
      bytes bytea not null,
      primary key (name, file)
    )`);
  // Pictures are already compressed.
  await knex.raw("alter table picture_files alter column bytes set storage external");
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable("picture_files");
  for (const table of TABLES) await knex.raw("alter table ?? drop column picture", [table]);
}

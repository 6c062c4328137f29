import type { Knex } from "knex";

/**
 * The user who made a revision by hand, and the reason; null for imports. A removed record may be hidden: it has no
 * page then, and no import brings it back.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_revisions add column author text, add column note text");
  await knex.raw("alter table catalogue_tombstones add column hidden boolean not null default false");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table catalogue_tombstones drop column hidden");
  await knex.raw("alter table catalogue_revisions drop column note, drop column author");
}

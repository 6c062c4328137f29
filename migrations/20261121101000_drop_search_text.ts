import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/** Each process searches an index of its own, built from the names, so nothing reads this column any more. */
export async function up(knex: Knex): Promise<void> {
  for (const kind of KINDS) await knex.raw(`alter table ${kind} drop column search_text`);
}

/** Fills the column with lower-case names, which is enough to find most. The next import of a kind normalises them. */
export async function down(knex: Knex): Promise<void> {
  for (const kind of KINDS) {
    await knex.raw(`alter table ${kind} add column search_text text check (search_text like E'\\n%\\n')`);
    await knex.raw(`
      update ${kind} set search_text = lower(E'\\n' || name || coalesce(
        (select string_agg(E'\\n' || value, '') from jsonb_each_text(names)), '') || E'\\n')`);
    await knex.raw(`alter table ${kind} alter column search_text set not null`);
    await knex.raw(`create index ${kind}_search_text on ${kind} using gin (search_text gin_trgm_ops)`);
  }
}

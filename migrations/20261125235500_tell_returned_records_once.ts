import type { Knex } from "knex";

const KINDS = ["items", "vehicles", "scripts", "houses", "businesses"];

/**
 * A record that an import brings back is new to webhooks. Continuing its history is an update by a trigger of its
 * insert (20261125230000_remember_removed_records.ts) and no change of its own.
 */
export async function up(knex: Knex): Promise<void> {
  await replaceTriggers(knex, "when (pg_trigger_depth() = 0)");
}

export async function down(knex: Knex): Promise<void> {
  await replaceTriggers(knex, "");
}

async function replaceTriggers(knex: Knex, condition: string): Promise<void> {
  const own: string[] = await knex("own_kinds").pluck("kind");
  for (const kind of [...KINDS, ...own]) {
    await knex.raw("drop trigger note_update_for_webhooks on ??", [kind]);
    await knex.raw(
      `create trigger note_update_for_webhooks after update on ??
       referencing old table as before new table as after
       for each statement ${condition} execute function note_entries_for_webhooks()`,
      [kind],
    );
  }
}

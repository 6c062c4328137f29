import type { Knex } from "knex";

const CHECK =
  "server_alerts drop constraint server_alerts_what_check, add constraint server_alerts_what_check check";
const OPEN = "create index server_crossings_not_alerted on server_crossings (id) where alerted_at is null";

/**
 * Users may subscribe to a server's outages. They get neither the start nor the end of one shorter than `outage_min`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table ${CHECK} (what in ('down', 'up', 'slot', 'queue', 'online'))`);
  await knex.raw(
    "alter table server_alerts add column outage_min smallint not null default 5 check (outage_min between 0 and 10)",
  );
  await knex.raw("drop index server_crossings_not_alerted");
  await knex.raw(OPEN);
}

/** Loses the alerts about outages. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from server_alerts where what = 'down'");
  await knex.raw("alter table server_alerts drop column outage_min");
  await knex.raw(`alter table ${CHECK} (what in ('up', 'slot', 'queue', 'online'))`);
  await knex.raw("drop index server_crossings_not_alerted");
  await knex.raw(`${OPEN} and what <> 'down'`);
}

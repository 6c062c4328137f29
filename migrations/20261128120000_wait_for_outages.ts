import type { Knex } from "knex";

/**
 * An outage is reported only after a delay, because a daily restart is no news. Each webhook has its own delay in
 * minutes, and quiet hours in its owner's zone (UTC for the site). The column `webhooks_told_min` is the longest delay
 * whose webhooks were notified of a crossing, -1 for none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhooks
      add column outage_min smallint not null default 5 check (outage_min between 0 and 60),
      add column quiet_from smallint check (quiet_from between 0 and 23),
      add column quiet_until smallint check (quiet_until between 0 and 23),
      add constraint webhooks_quiet
        check (num_nonnulls(quiet_from, quiet_until) = 0 or quiet_from <> quiet_until and num_nulls(quiet_from, quiet_until) = 0)`);
  await knex.raw("alter table server_crossings add column webhooks_told_min smallint not null default -1");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table server_crossings drop column webhooks_told_min");
  await knex.raw(
    "alter table webhooks drop column outage_min, drop column quiet_from, drop column quiet_until",
  );
}

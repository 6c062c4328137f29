import type { Knex } from "knex";

/**
 * The channels are listed once, in src/notifications/channels.ts, and so is the hour of a daily mail that nobody chose.
 * Hours that are stored stay, as chosen ones.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_channel_check,
      add constraint deliveries_channel_check check (channel <> '')`);
  await knex.raw(
    "alter table notification_settings alter column digest_hour drop default, alter column digest_hour drop not null",
  );
}

/** What goes through a channel that the version before does not know is lost. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw("delete from deliveries where channel not in ('email', 'digest', 'push')");
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_channel_check,
      add constraint deliveries_channel_check check (channel in ('email', 'digest', 'push'))`);
  await knex.raw("update notification_settings set digest_hour = 18 where digest_hour is null");
  await knex.raw(
    "alter table notification_settings alter column digest_hour set default 18, alter column digest_hour set not null",
  );
}

import type { Knex } from "knex";

/**
 * src/notifications/channels.ts alone lists the channels and the default hour of a daily mail. Stored hours stay, as
 * the users' choices.
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

/** Loses the deliveries of channels that the previous version does not know. */
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

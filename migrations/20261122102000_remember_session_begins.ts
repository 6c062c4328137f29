import type { Knex } from "knex";

/**
 * When the user of a session logged in: it lasts so many days from then, and none outlives a change of password. Of the
 * sessions that are there already only the last use is known, by their cookie. Counted from that they end when they would
 * have ended; `greatest`, because it was written by another clock than the time of the password.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions add column began_at timestamptz not null default clock_timestamp()");
  await knex.raw(`
    update sessions set began_at = greatest(password_changed_at, least(now(), coalesce(
             expire - make_interval(secs => (sess #>> '{cookie,originalMaxAge}')::double precision / 1000), now())))
      from users where users.id = sessions.user_id`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("alter table sessions drop column began_at");
}

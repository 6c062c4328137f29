import type { Knex } from "knex";

/**
 * When a session's user logged in. Its lifetime counts from then, and a change of password ends earlier sessions. For
 * existing sessions only the cookie's end is known, so the start is computed back from it. The later time counts,
 * because another clock set the time of the password.
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

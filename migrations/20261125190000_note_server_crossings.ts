import type { Knex } from "knex";

/**
 * What servers went through between two measurements, for those who tell others of it. A row of `server_crossings` is
 * written by the statement that stores the measurement, once for each crossing (src/servers/crossings.ts says when):
 *
 * - `down`, `up`: it went offline, it is online again
 * - `slot`: it was full and has a free slot
 * - `queue`, `online`: its queue became shorter than `value`, more than `value` players are on it
 *
 * `at` and the figures are those of the measurement. `alerted_at` is set once every user was alerted who asked for it;
 * another reader of the table marks its rows in a column of its own. Rows go after 30 days.
 *
 * `server_alerts` is what users ask for, one row for each favorite server and crossing. `server_limits` remembers of each
 * limit that somebody asks for whether the next crossing counts: `armed` is false from a crossing until the figure has
 * been clearly on the other side. `servers.full_polls` is the same for slots: polls in a row that found no free one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table servers add column full_polls integer not null default 0 check (full_polls >= 0)",
  );
  await knex.raw(`
    create table server_alerts (
      user_id bigint not null,
      server_id text collate "C" not null,
      what text not null check (what in ('up', 'slot', 'queue', 'online')),
      value integer check (value >= 0),
      since timestamptz not null default now(),
      primary key (user_id, server_id, what),
      foreign key (user_id, server_id) references server_favorites on delete cascade,
      check ((what in ('queue', 'online')) = (value is not null))
    )`);
  // Limits are read at each poll of their server, users page by page in the order of their ids.
  await knex.raw("create index server_alerts_by_server on server_alerts (server_id, what, value, user_id)");
  await knex.raw(`
    create table server_limits (
      server_number integer not null references servers (number) on delete cascade,
      what text not null check (what in ('queue', 'online')),
      value integer not null,
      armed boolean not null,
      primary key (server_number, what, value)
    )`);
  await knex.raw(`
    create table server_crossings (
      id bigint generated always as identity primary key,
      server_number integer not null references servers (number) on delete cascade,
      what text not null check (what in ('down', 'up', 'slot', 'queue', 'online')),
      value integer,
      at timestamptz not null,
      online integer,
      queue integer,
      max_online integer,
      alerted_at timestamptz,
      check ((what in ('queue', 'online')) = (value is not null))
    )`);
  await knex.raw(
    "create unique index server_crossings_once on server_crossings (server_number, what, coalesce(value, -1), at)",
  );
  await knex.raw("create index server_crossings_at on server_crossings (at)");
  await knex.raw(
    "create index server_crossings_not_alerted on server_crossings (id) where alerted_at is null and what <> 'down'",
  );
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ["server_crossings", "server_limits", "server_alerts"]) {
    await knex.schema.dropTable(table);
  }
  await knex.raw("alter table servers drop column full_polls");
}

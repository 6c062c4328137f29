import type { Knex } from "knex";

/**
 * Changes of servers for notifications: the statement that stores a measurement adds a row for each crossing (see
 * src/servers/crossings.ts). In `what`, `slot` means no longer full, `queue` shorter than `value`, and `online` more
 * players than `value`. The time `alerted_at` is set once all users are alerted; webhooks mark rows in their own
 * column. The table `server_alerts` has users' subscriptions. In `server_limits`, `armed` is false from a crossing
 * until the figure is clearly back. The column `servers.full_polls` counts consecutive polls without a free slot.
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
  // Each poll of a server reads its limits; alerts go to users page by page, in the order of their ids.
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

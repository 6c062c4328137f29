import type { Knex } from "knex";

const KINDS = {
  items: "item",
  vehicles: "vehicle",
  scripts: "script",
  houses: "house",
  businesses: "business",
};

/** How many ids of one change are kept; the rest is only counted. */
const KEPT = 10;

/**
 * Webhooks for Discord channels and other servers, of a user or (without one) of the site. Each transaction notes its
 * changes in `webhook_news`. A loop makes events of them (src/notifications/webhooks/fan-out.ts), so an import of a
 * thousand records is one event. Each event has one delivery per webhook with a fixed `message_id`, so that receivers
 * can detect repeats. The time `hold_until` pauses a webhook whose receiver requested it or failed. Secrets are derived
 * from `salt` and the site's secret; that of `former_salt` also signs for a while.
 */
export async function up(knex: Knex): Promise<void> {
  await createTables(knex);
  await noteNotifications(knex);
  await noteEntries(knex);
  // The last run of a discount that webhooks were notified of.
  await knex.raw("alter table discount_runs add column webhooks_run integer not null default 0");
  await knex.raw("alter table server_crossings add column webhooks_told boolean not null default false");
  await knex.raw(
    "create index server_crossings_for_webhooks on server_crossings (id) where not webhooks_told and what in ('down', 'up')",
  );
}

async function createTables(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhooks (
      id bigint generated always as identity primary key,
      user_id bigint references users on delete cascade,
      form_id uuid,
      name text not null check (name <> ''),
      url text not null check (url like 'http%'),
      format text not null check (format in ('discord', 'signed')),
      language text not null,
      events text[] not null,
      scope text not null check (scope in ('favorites', 'all')),
      kind text,
      salt bytea not null,
      former_salt bytea,
      rotated_at timestamptz,
      state text not null default 'on' check (state in ('on', 'off', 'failed')),
      failures integer not null default 0 check (failures >= 0),
      failing_since timestamptz,
      last_failure text,
      hold_until timestamptz,
      created_at timestamptz not null default now(),
      last_sent_at timestamptz,
      unique (user_id, form_id),
      check (user_id is not null or scope = 'all')
    )`);
  await knex.raw("create unique index webhooks_site_form on webhooks (form_id) where user_id is null");
  await knex.raw(`
    create table webhook_news (
      id bigint generated always as identity primary key,
      event text not null,
      user_id bigint references users on delete cascade,
      kind text,
      total integer not null check (total > 0),
      ids text[] not null,
      at timestamptz not null default clock_timestamp()
    )`);
  await knex.raw("create index webhook_news_user_id on webhook_news (user_id) where user_id is not null");
  await knex.raw(`
    create table webhook_events (
      id bigint generated always as identity primary key,
      type text not null,
      data jsonb not null,
      at timestamptz not null default now()
    )`);
  await knex.raw("create index webhook_events_at on webhook_events (at)");
  await knex.raw(`
    create table webhook_deliveries (
      id bigint generated always as identity primary key,
      event_id bigint not null references webhook_events on delete cascade,
      webhook_id bigint not null references webhooks on delete cascade,
      message_id uuid not null default gen_random_uuid(),
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'dropped', 'dead')),
      attempts integer not null default 0 check (attempts >= 0),
      reason text,
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      unique (event_id, webhook_id),
      check ((state = 'waiting') = (settled_at is null))
    )`);
  await knex.raw("create index webhook_deliveries_of on webhook_deliveries (webhook_id, id)");
  await knex.raw(
    "create index webhook_deliveries_waiting on webhook_deliveries (id) where state = 'waiting'",
  );
  await knex.raw(
    "create index webhook_deliveries_dead on webhook_deliveries (settled_at) where state = 'dead'",
  );
}

/** A webhook for favorites gets the events that its user is notified of. */
async function noteNotifications(knex: Knex): Promise<void> {
  await knex.raw(`
    create function note_notifications_for_webhooks() returns trigger language plpgsql as $$
    begin
      insert into webhook_news (event, user_id, total, ids)
      select 'discount', added.user_id, count(*), array_agg(added.id::text order by added.id)
        from added
       where added.discount_id is not null
         and exists (select from webhooks hook
                      where hook.user_id = added.user_id and hook.state = 'on' and hook.scope = 'favorites'
                        and 'discount' = any(hook.events))
       group by added.user_id order by added.user_id;
      return null;
    end $$`);
  await knex.raw(`
    create trigger note_for_webhooks after insert on notifications referencing new table as added
    for each statement execute function note_notifications_for_webhooks()`);
}

/**
 * Without webhooks for entries, each statement only checks one small table. A revision without a new number is no
 * change. \`execute\` plans each statement again, as for revisions.
 */
async function noteEntries(knex: Knex): Promise<void> {
  const words = Object.entries(KINDS).map(([kind, one]) => `when '${kind}' then '${one}'`);
  await knex.raw(`
    create function note_entries_for_webhooks() returns trigger language plpgsql as $function$
    declare
      wanted text := case tg_op when 'INSERT' then 'entry_new' else 'entry_changed' end;
      changed text := case tg_op when 'INSERT' then 'select id from after where not demo'
        else 'select id from before b join after a using (id) where a.revision > b.revision and not a.demo' end;
      word text;
    begin
      if not exists (select from webhooks where state = 'on' and wanted = any(events)) then return null; end if;
      execute format($statement$
        with changed as materialized (%s)
        insert into webhook_news (event, kind, total, ids)
        select $1, $2, (select count(*) from changed), array(select id from changed order by id limit ${KEPT})
         where exists (select from changed)
      $statement$, changed) using wanted, tg_table_name;
      if tg_op = 'INSERT' then return null; end if;
      word := case tg_table_name ${words.join(" ")} else (select one from own_kinds where kind = tg_table_name) end;
      execute format($statement$
        with changed as materialized (%s)
        insert into webhook_news (event, kind, user_id, total, ids)
        select $1, $2, f.user_id, count(*), (array_agg(f.entity_id order by f.entity_id))[1:${KEPT}]
          from (select distinct user_id from webhooks
                 where state = 'on' and scope = 'favorites' and $1 = any(events)) hook
            join entity_favorites f on f.user_id = hook.user_id and f.kind = $3
            join changed on changed.id = f.entity_id
         group by f.user_id order by f.user_id
      $statement$, changed) using wanted, tg_table_name, word;
      return null;
    end $function$`);
  const own: { kind: string }[] = await knex("own_kinds").select("kind");
  for (const kind of [...Object.keys(KINDS), ...own.map(({ kind }) => kind)]) {
    for (const [event, rows] of [
      ["insert", "referencing new table as after"],
      ["update", "referencing old table as before new table as after"],
    ]) {
      await knex.raw(
        `create trigger note_${event}_for_webhooks after ${event} on ?? ${rows}
         for each statement execute function note_entries_for_webhooks()`,
        [kind],
      );
    }
  }
}

export async function down(knex: Knex): Promise<void> {
  const own: { kind: string }[] = await knex("own_kinds").select("kind");
  for (const kind of [...Object.keys(KINDS), ...own.map(({ kind }) => kind)]) {
    for (const event of ["insert", "update"]) {
      await knex.raw(`drop trigger note_${event}_for_webhooks on ??`, [kind]);
    }
  }
  await knex.raw("drop function note_entries_for_webhooks()");
  await knex.raw("drop trigger note_for_webhooks on notifications");
  await knex.raw("drop function note_notifications_for_webhooks()");
  await knex.raw("alter table server_crossings drop column webhooks_told");
  await knex.raw("alter table discount_runs drop column webhooks_run");
  for (const table of ["webhook_deliveries", "webhook_events", "webhook_news", "webhooks"]) {
    await knex.schema.dropTable(table);
  }
}

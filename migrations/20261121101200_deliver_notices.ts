import type { Knex } from "knex";

/**
 * Notifies once of each discount through every channel. The column `discounts.run` counts the periods of one record: a
 * weekly sale under one id recurs, and users are notified each time. The time `told_at` is set once all users are
 * notified of a run. Changes that may add users clear it and raise `telling`, so a job that is already running does not
 * set it. A delivery is one notification on one channel (push: to one browser), with its outcome.
 */
export async function up(knex: Knex): Promise<void> {
  await followRuns(knex);
  await addAddresses(knex);
  await addDeliveries(knex);
}

async function followRuns(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table discounts
      add column run integer not null default 1 check (run > 0),
      add column told_at timestamptz,
      add column telling integer not null default 1,
      add column announced boolean not null default false`);
  await knex.raw("create index discounts_untold on discounts (starts_at) where told_at is null");
  await keepRuns(knex);
  // A new run begins where the discount is for another item, or where a period that had begun is followed by a later
  // one. The clock decides, because an import's transaction may have started before that period.
  await knex.raw(`
    create function follow_discount_runs() returns trigger language plpgsql as $$
    declare
      known discount_runs;
    begin
      if tg_op = 'INSERT' then
        select * into known from discount_runs where discount_id = new.id;
        if not found then return new; end if;
      else
        known := row(old.id, old.run, old.item_key, old.starts_at, old.ends_at);
      end if;
      new.run := known.run;
      if new.item_key <> known.item_key
         or (known.starts_at <= clock_timestamp() and new.starts_at >= known.ends_at) then
        new.run := known.run + 1;
      end if;
      if tg_op = 'UPDATE' and (new.run, new.starts_at, new.ends_at, new.percent, new.price)
         is distinct from (old.run, old.starts_at, old.ends_at, old.percent, old.price) then
        new.told_at := null;
        new.telling := old.telling + 1;
      end if;
      return new;
    end $$`);
  await knex.raw(`
    create trigger follow_discount_runs before insert or update on discounts
    for each row execute function follow_discount_runs()`);
  await knex.raw(`
    alter table notifications
      add column run integer not null default 1,
      drop constraint notifications_user_id_discount_id_key,
      drop constraint notifications_discount_id_fkey,
      add constraint notifications_once unique (user_id, discount_id, run)`);
}

/**
 * Keeps the last run of every discount that ever existed, so that one that is removed by mistake and restored causes no
 * second notification. Notifications keep their discount's id for the same reason. Removing a discount that had begun
 * ends its period.
 */
async function keepRuns(knex: Knex): Promise<void> {
  const columns = ["run", "item_key", "starts_at", "ends_at"];
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(", ");
  await knex.raw(`
    create table discount_runs (
      discount_id text collate "C" primary key,
      run integer not null,
      item_key text collate "C" not null,
      starts_at timestamptz not null,
      ends_at timestamptz
    )`);
  await knex.raw(`insert into discount_runs select id, ${columns.join(", ")} from discounts`);
  await knex.raw(`
    create function keep_discount_runs() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update discount_runs known set ends_at = least(known.ends_at, clock_timestamp())
          from before where known.discount_id = before.id and known.starts_at <= clock_timestamp();
      else
        insert into discount_runs as known (discount_id, ${columns.join(", ")})
        select id, ${columns.join(", ")} from after
        on conflict (discount_id) do update set (${columns.join(", ")}) = row(${of("excluded")})
         where (${of("known")}) is distinct from (${of("excluded")});
      end if;
      return null;
    end $$`);
  for (const [event, rows] of [
    ["insert", "new table as after"],
    ["update", "new table as after"],
    ["delete", "old table as before"],
  ]) {
    await knex.raw(`
      create trigger keep_runs_on_${event} after ${event} on discounts referencing ${rows}
      for each statement execute function keep_discount_runs()`);
  }
}

async function addAddresses(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users
      add column confirmed_email text check (confirmed_email <> ''),
      add column language text check (language ~ '^[a-z]{2,3}$'),
      add column time_zone text check (time_zone <> '')`);
  await knex.raw("create index users_confirmed_email on users (lower(confirmed_email))");
  await knex.raw(`
    create table mail_tokens (
      token_hash bytea primary key check (octet_length(token_hash) = 32),
      user_id bigint not null references users on delete cascade,
      purpose text not null check (purpose in ('confirm', 'reset')),
      email text not null check (email <> ''),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`);
  await knex.raw("create index mail_tokens_user_id on mail_tokens (user_id)");
  await knex.raw("create index mail_tokens_expires_at on mail_tokens (expires_at)");
}

async function addDeliveries(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notification_settings (
      user_id bigint primary key references users on delete cascade,
      email text not null default 'off' check (email in ('off', 'each', 'daily')),
      digest_hour smallint not null default 18 check (digest_hour between 0 and 23),
      push boolean not null default false,
      feed boolean not null default false,
      feed_version integer not null default 1 check (feed_version > 0)
    )`);
  await knex.raw(`
    create table push_subscriptions (
      id bigint generated always as identity primary key,
      user_id bigint not null references users on delete cascade,
      endpoint text not null unique check (endpoint like 'https://%' and char_length(endpoint) <= 2000),
      p256dh text not null check (p256dh <> ''),
      auth text not null check (auth <> ''),
      browser text,
      created_at timestamptz not null default now(),
      last_sent_at timestamptz
    )`);
  await knex.raw("create index push_subscriptions_user_id on push_subscriptions (user_id)");
  await knex.raw(`
    create table digests (
      id bigint generated always as identity primary key,
      user_id bigint not null references users on delete cascade,
      day date not null,
      created_at timestamptz not null default now(),
      claimed_at timestamptz,
      sent_at timestamptz,
      unique (user_id, day)
    )`);
  await knex.raw(`
    create table deliveries (
      id bigint generated always as identity primary key,
      notification_id bigint not null references notifications on delete cascade,
      user_id bigint not null references users on delete cascade,
      channel text not null check (channel in ('email', 'digest', 'push')),
      subscription_id bigint references push_subscriptions on delete cascade,
      digest_id bigint references digests on delete set null,
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'dropped', 'dead')),
      attempts integer not null default 0 check (attempts >= 0),
      reason text,
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      check ((channel = 'push') = (subscription_id is not null)),
      check ((state = 'waiting') = (settled_at is null))
    )`);
  await knex.raw(
    "create unique index deliveries_once on deliveries (notification_id, channel, coalesce(subscription_id, 0))",
  );
  await knex.raw("create index deliveries_user_id on deliveries (user_id)");
  await knex.raw(
    "create index deliveries_subscription_id on deliveries (subscription_id) where subscription_id is not null",
  );
  await knex.raw("create index deliveries_digest_id on deliveries (digest_id) where digest_id is not null");
  await knex.raw("create index deliveries_waiting on deliveries (user_id) where state = 'waiting'");
  await knex.raw("create index deliveries_dead on deliveries (settled_at) where state = 'dead'");
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    "deliveries",
    "digests",
    "push_subscriptions",
    "notification_settings",
    "mail_tokens",
  ]) {
    await knex.schema.dropTable(table);
  }
  await knex.raw(
    "alter table users drop column confirmed_email, drop column language, drop column time_zone",
  );
  for (const name of [
    "follow_discount_runs",
    "keep_runs_on_insert",
    "keep_runs_on_update",
    "keep_runs_on_delete",
  ]) {
    await knex.raw("drop trigger ?? on discounts", [name]);
  }
  await knex.raw("drop function follow_discount_runs()");
  await knex.raw("drop function keep_discount_runs()");
  await knex.schema.dropTable("discount_runs");
  // If a discount had several runs, the previous schema keeps only the last …
  await knex.raw(`
    delete from notifications n using notifications later
     where later.user_id = n.user_id and later.discount_id = n.discount_id and later.run > n.run`);
  // … and nothing of a deleted discount.
  await knex.raw(`
    update notifications set discount_id = null
     where discount_id is not null and not exists (select from discounts where id = discount_id)`);
  await knex.raw(`
    alter table notifications
      drop constraint notifications_once,
      add constraint notifications_user_id_discount_id_key unique (user_id, discount_id),
      add constraint notifications_discount_id_fkey
        foreign key (discount_id) references discounts on delete set null,
      drop column run`);
  await knex.raw(
    "alter table discounts drop column run, drop column told_at, drop column telling, drop column announced",
  );
}

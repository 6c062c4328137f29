import type { Knex } from "knex";

/**
 * Webhook messages become deliveries like those of every other channel: `deliveries` has an event and a webhook instead
 * of a notification. The column `user_id` is the webhook's owner, null for the site's.
 *
 * The last release reads and writes `webhook_deliveries` during an upgrade, so that name becomes a view where each
 * message keeps its id. The next release can drop it.
 */
export async function up(knex: Knex): Promise<void> {
  // The last release takes the locks in this order; another one would deadlock with it.
  await knex.raw("lock table webhook_events in share row exclusive mode");
  await knex.raw("lock table webhook_deliveries in access exclusive mode");
  await knex.raw(`
    alter table deliveries
      alter column notification_id drop not null,
      alter column user_id drop not null,
      add column event_id bigint references webhook_events on delete cascade,
      add column webhook_id bigint references webhooks on delete cascade,
      add column message_id uuid,
      add constraint deliveries_subject check (
        case when channel = 'webhook'
          then notification_id is null and num_nulls(event_id, webhook_id, message_id) = 0
          else num_nulls(notification_id, user_id) = 0 and num_nonnulls(event_id, webhook_id, message_id) = 0 end)`);
  await knex.raw(
    "create unique index deliveries_message on deliveries (event_id, webhook_id) where event_id is not null",
  );
  await knex.raw(
    "create index deliveries_webhook_id on deliveries (webhook_id, id) where webhook_id is not null",
  );
  await moveMessages(knex);
}

async function moveMessages(knex: Knex): Promise<void> {
  const [{ shift, last }] = (
    await knex.raw(`
      select coalesce(max(last_value), 0)::bigint as shift, (select coalesce(max(id), 0) from webhook_deliveries) as last
        from pg_sequences
       where schemaname = current_schema() and sequencename in ('deliveries_id_seq', 'webhook_deliveries_id_seq')`)
  ).rows;
  // The new ids are above all of both tables, so that no job queued under an old id can mean another delivery.
  const moved = Number(last) === 0 ? 0 : Number(shift);
  const end = moved + Number(last);
  await knex.raw(`
    insert into deliveries (id, channel, event_id, webhook_id, user_id, message_id, state, attempts, reason, created_at, settled_at)
      overriding system value
    select old.id + ${moved}, 'webhook', old.event_id, old.webhook_id, hook.user_id, old.message_id,
           old.state, old.attempts, old.reason, old.created_at, old.settled_at
      from webhook_deliveries old join webhooks hook on hook.id = old.webhook_id`);
  if (end > 0) await knex.raw(`select setval(pg_get_serial_sequence('deliveries', 'id'), ${end})`);
  await knex.raw("drop table webhook_deliveries");
  await knex.raw(`
    create view webhook_deliveries as
      select case when id <= ${end} then id - ${moved} else id end as id,
             event_id, webhook_id, channel, message_id, state, attempts, reason, created_at, settled_at
        from deliveries where channel = 'webhook'`);
  await knex.raw(`
    alter view webhook_deliveries
      alter column channel set default 'webhook', alter column message_id set default gen_random_uuid()`);
  const old = { task: "deliver_webhook", key: "webhook:", id: `delivery.id - ${moved}` };
  await renameJobs(knex, old, { task: "deliver_by_webhook", key: "delivery:", id: "delivery.id" });
}

/** How a release names the job of a row `delivery`; `id` is SQL. */
interface JobNames {
  readonly task: string;
  readonly key: string;
  readonly id: string;
}

/** Replaces the waiting jobs. A running one belongs to a process of the other release, which stores its outcome. */
async function renameJobs(knex: Knex, from: JobNames, to: JobNames): Promise<void> {
  await knex.raw(`
    do $$ begin
      if to_regclass('graphile_worker.jobs') is null then return; end if;
      create temporary table renamed on commit drop as
        select job.id, job.queue_name, job.run_at, job.priority, ${to.id} as delivery_id
          from deliveries delivery join graphile_worker.jobs job on job.key = '${from.key}' || (${from.id})
         where delivery.channel = 'webhook' and delivery.state = 'waiting' and job.locked_at is null;
      perform graphile_worker.complete_jobs(array(select id from renamed));
      perform graphile_worker.add_job('${to.task}', json_build_object('deliveryId', delivery_id), queue_name => queue_name,
                                      run_at => run_at, job_key => '${to.key}' || delivery_id, priority => priority)
         from renamed;
      drop table renamed;
    end $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("lock table webhook_events in share row exclusive mode");
  await knex.raw("alter view webhook_deliveries rename to shared_deliveries");
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
  const columns = "id, event_id, webhook_id, message_id, state, attempts, reason, created_at, settled_at";
  await knex.raw(
    `insert into webhook_deliveries (${columns}) overriding system value select ${columns} from shared_deliveries`,
  );
  await knex.raw(`
    select setval(pg_get_serial_sequence('webhook_deliveries', 'id'), max(id)) from webhook_deliveries having max(id) > 0`);
  const oldId =
    "(select old.id from webhook_deliveries old where old.event_id = delivery.event_id and old.webhook_id = delivery.webhook_id)";
  const now = { task: "deliver_by_webhook", key: "delivery:", id: "delivery.id" };
  await renameJobs(knex, now, { task: "deliver_webhook", key: "webhook:", id: oldId });
  await knex.raw("drop view shared_deliveries");
  await knex.raw("delete from deliveries where channel = 'webhook'");
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_subject,
      drop column event_id, drop column webhook_id, drop column message_id,
      alter column notification_id set not null, alter column user_id set not null`);
}

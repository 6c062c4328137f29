import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { addJobs, type JobSpec } from "../../db/jobs.ts";
import { countRows, deleteInBatches, selectRows } from "../../db/rows.ts";
import type { WebhookEvent } from "./events.ts";
import { type JobOfDelivery, webhookJob } from "./jobs.ts";

/** A waiting delivery, with its webhook's current settings. */
export interface DueWebhook extends JobOfDelivery {
  /** The message's id, the same for each attempt. */
  readonly messageId: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly event: WebhookEvent;
  readonly at: Date;
  readonly hook: {
    readonly url: string;
    readonly format: "discord" | "signed";
    readonly language: string;
    readonly salt: Buffer;
    /** The previous secret's salt, for a day after the change. */
    readonly formerSalt: Buffer | null;
    readonly state: "on" | "off" | "failed";
    /** Failed attempts since the last message that was accepted. */
    readonly failures: number;
  };
  /** The webhook gets no message before this time. */
  readonly heldUntil: Date | null;
  /** Whether all discounts in the message are over or withdrawn. */
  readonly isOver: boolean;
}

/** How long the previous secret still signs messages, so that receivers have time to switch. */
const FORMER_SECRET_HOURS = 24;

/** A webhook is switched off after this many failed attempts in a row … */
const FAILURES_AT_MOST = 20;
/** … if no message was accepted for this long. */
const FAILING_AT_MOST = "3 days";

/** How long events and their deliveries are kept. */
const KEPT = "30 days";

/** Finds a waiting delivery; undefined if it is settled, or was removed with its webhook. */
export async function findDue(db: Db, id: number): Promise<DueWebhook | undefined> {
  const [row] = await selectRows<DueWebhook & { type: string; data: object }>(
    db,
    `select delivery.id, delivery.webhook_id as "webhookId", hook.user_id as "userId",
            'msg_' || replace(delivery.message_id::text, '-', '') as "messageId",
            delivery.attempts, delivery.created_at as "createdAt", event.type, event.data, event.at,
            hook.url, hook.format, hook.language, hook.salt, hook.state, hook.failures,
            case when hook.rotated_at > now() - interval '${FORMER_SECRET_HOURS} hours' then hook.former_salt end
              as "formerSalt",
            case when hook.hold_until > now() then hook.hold_until end as "heldUntil",
            event.type = 'discount.started' and not exists (
              select from jsonb_to_recordset(event.data -> 'discounts') told(id text, run integer)
                join discounts discount on discount.id = told.id and discount.run = told.run
                 and (discount.ends_at is null or discount.ends_at > now())) as "isOver"
       from webhook_deliveries delivery join webhook_events event on event.id = delivery.event_id
         join webhooks hook on hook.id = delivery.webhook_id
      where delivery.id = ? and delivery.state = 'waiting'`,
    [id],
  );
  return row && toDue(row);
}

type Row = Omit<DueWebhook, "event" | "hook"> & DueWebhook["hook"] & { type: string; data: object };

function toDue(row: object): DueWebhook {
  const { type, data, url, format, language, salt, formerSalt, state, failures, ...due } = row as Row;
  return {
    ...due,
    event: { type, data } as WebhookEvent,
    hook: { url, format, language, salt, formerSalt, state, failures },
  };
}

/** Settles a waiting delivery without an attempt. */
export async function drop(db: Db, id: number, reason: string): Promise<void> {
  await db("webhook_deliveries")
    .where({ id, state: "waiting" })
    .update({ state: "dropped", reason, settled_at: db.fn.now() });
}

/** Stores that a message was accepted, and resets the webhook's failures. */
export async function noteAccepted(
  db: Knex,
  { id, webhookId }: JobOfDelivery,
  holdS: number | undefined,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction("webhook_deliveries")
      .where({ id, state: "waiting" })
      .increment("attempts")
      .update({ state: "sent", reason: null, settled_at: transaction.fn.now() });
    await transaction("webhooks")
      .where({ id: webhookId })
      .update({
        failures: 0,
        failing_since: null,
        last_failure: null,
        hold_until: holdS === undefined ? null : inSeconds(transaction, holdS),
        last_sent_at: transaction.fn.now(),
      });
  });
}

export interface Failure {
  readonly reason: string;
  /** Seconds until the next attempt; undefined for none. */
  readonly retryS: number | undefined;
  /** Seconds to hold the webhook's other messages. */
  readonly holdS: number;
  /** True if the receiver only requested a wait. */
  readonly isWait?: boolean;
  /** Whether the receiver reported that it is gone for good. */
  readonly isGone?: boolean;
  /** Whether to send a mail if the failure switches the webhook off. */
  readonly sendsMail: boolean;
}

/**
 * Stores a failed attempt, with the job of the next one. Resolves to whether the failure has switched the webhook off. In
 * that case its other deliveries are dropped too, and its owner gets a mail.
 */
export async function noteFailure(db: Knex, due: DueWebhook, failure: Failure): Promise<boolean> {
  const { reason, retryS, holdS, isWait = false, isGone = false, sendsMail } = failure;
  return db.transaction(async (transaction) => {
    const counted = {
      reason,
      ...(retryS === undefined && { state: "dead", settled_at: transaction.fn.now() }),
    };
    await transaction("webhook_deliveries")
      .where({ id: due.id, state: "waiting" })
      .increment("attempts", isWait ? 0 : 1)
      .update(counted);
    if (retryS !== undefined)
      await addJobs(transaction, [webhookJob(due, new Date(Date.now() + retryS * 1000))]);
    const [hook] = await selectRows<{ state: string; failed: boolean }>(
      transaction,
      `with before as (select id, state from webhooks where id = :id for no key update)
       update webhooks hook
          set failures = hook.failures + :counted, last_failure = :reason,
              failing_since = case when :counted = 0 then hook.failing_since else coalesce(hook.failing_since, now()) end,
              hold_until = greatest(hook.hold_until, now() + make_interval(secs => :holdS)),
              state = case when hook.state = 'on' and (:isGone or hook.failures + :counted >= ${FAILURES_AT_MOST}
                                and hook.failing_since < now() - interval '${FAILING_AT_MOST}')
                           then 'failed' else hook.state end
         from before where hook.id = before.id
       returning hook.state, hook.state = 'failed' and before.state = 'on' as failed`,
      { id: due.webhookId, counted: isWait ? 0 : 1, reason, holdS, isGone },
    );
    if (!hook?.failed) return false;
    await transaction("webhook_deliveries")
      .where({ webhook_id: due.webhookId, state: "waiting" })
      .update({ state: "dropped", reason: "off", settled_at: transaction.fn.now() });
    if (sendsMail) await addJobs(transaction, await failureJobs(transaction, due));
    return true;
  });
}

/** Mails about a webhook that was switched off: to its owner, or to all operators for one of the site. */
async function failureJobs(db: Db, { webhookId, userId }: JobOfDelivery): Promise<JobSpec[]> {
  const owners = db("users").whereNotNull("confirmed_email").pluck<number[]>("id");
  const ids = await owners.where(userId === null ? { role: "operator" } : { id: userId });
  return ids.map((id) => ({ task: "tell_webhook_failed", payload: { webhookId, userId: id } }));
}

function inSeconds(db: Db, seconds: number) {
  return db.raw("now() + make_interval(secs => ?)", [seconds]);
}

/** The maximum number of deliveries in one run of housekeeping. */
const SWEPT_AT_ONCE = 10_000;

/**
 * Adds jobs for deliveries that have been waiting for 15 minutes without one. The queue gives up on a job if its worker
 * dies at every attempt. Resolves to how many were added.
 */
export async function addLostWebhookJobs(db: Db): Promise<number> {
  const lost = await selectRows<JobOfDelivery>(
    db,
    `select delivery.id, delivery.webhook_id as "webhookId", hook.user_id as "userId"
       from webhook_deliveries delivery join webhooks hook on hook.id = delivery.webhook_id
      where delivery.state = 'waiting' and delivery.created_at < now() - interval '15 minutes'
        and not exists (select from graphile_worker.jobs job
                         where job.key = 'webhook:' || delivery.id
                           and (job.attempts < job.max_attempts or job.locked_at is not null))
      limit ${SWEPT_AT_ONCE}`,
  );
  await addJobs(
    db,
    lost.map((delivery) => webhookJob(delivery)),
  );
  return lost.length;
}

/** Removes events that happened long ago and are settled everywhere; resolves to how many. */
export async function removeOldEvents(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    "webhook_events",
    `at < now() - interval '${KEPT}' and not exists (
       select from webhook_deliveries where event_id = webhook_events.id and state = 'waiting')`,
  );
}

/** Retries one dead delivery, or all, with the full number of attempts. Resolves to how many. */
export async function retryDeadWebhooks(db: Knex, id?: number): Promise<number> {
  return db.transaction(async (transaction) => {
    const revived = await selectRows<JobOfDelivery>(
      transaction,
      `update webhook_deliveries delivery set state = 'waiting', attempts = 0, reason = null, settled_at = null
         from webhooks hook
        where hook.id = delivery.webhook_id and delivery.state = 'dead' and (:id::bigint is null or delivery.id = :id)
       returning delivery.id, delivery.webhook_id as "webhookId", hook.user_id as "userId"`,
      { id: id ?? null },
    );
    await addJobs(
      transaction,
      revived.map((delivery) => webhookJob(delivery)),
    );
    return revived.length;
  });
}

/** Drops a dead delivery. Resolves to how many: 0 if it was not dead. */
export async function discardDeadWebhook(db: Db, id: number): Promise<number> {
  return countRows(
    db,
    `update webhook_deliveries set state = 'dropped', settled_at = now() where id = ? and state = 'dead'`,
    [id],
  );
}

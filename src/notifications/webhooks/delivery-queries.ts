import type { Db } from "../../db/connect.ts";
import { addJobs, type JobSpec } from "../../db/jobs.ts";
import { deleteInBatches, selectRow, selectRows } from "../../db/rows.ts";
import type { JobOfDelivery } from "../channels/channel.ts";
import { type Attempted, FAILING_BEFORE_OFF, FAILURES_BEFORE_OFF } from "../retries.ts";
import type { WebhookEvent } from "./events.ts";

/** A waiting delivery, with its webhook's current settings. */
export interface DueWebhook extends JobOfDelivery, Attempted {
  readonly webhook_id: number;
  /** Consecutive failures of the receiver. */
  readonly failures: number;
  /** The message's id, the same for each attempt. */
  readonly messageId: string;
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
  };
  /** The webhook gets no message before this time. */
  readonly heldUntil: Date | null;
  /** Whether all discounts in the message are over or withdrawn. */
  readonly isOver: boolean;
}

/** How long the previous secret still signs messages, so that receivers have time to switch. */
const FORMER_SECRET_HOURS = 24;

/** SQL: a part of `with` that makes the delivery of each row `event` to each row `hook`, as a JobOfDelivery. */
export const NEW_MESSAGES = `delivery as (
       insert into deliveries (channel, event_id, webhook_id, user_id, message_id)
       select 'webhook', event.id, hook.id, hook.user_id, gen_random_uuid() from event, hook
       returning id, channel, user_id, webhook_id)`;

/** How long events and their deliveries are kept. */
const KEPT = "30 days";

/** Finds a waiting delivery; undefined if it is settled or was removed with its webhook. */
export async function findDue(db: Db, id: number): Promise<DueWebhook | undefined> {
  const [row] = await selectRows<Row>(
    db,
    `select delivery.id, delivery.channel, delivery.webhook_id, hook.user_id,
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
       from deliveries delivery join webhook_events event on event.id = delivery.event_id
         join webhooks hook on hook.id = delivery.webhook_id
      where delivery.id = ? and delivery.state = 'waiting'`,
    [id],
  );
  if (!row) return undefined;
  const { type, data, url, format, language, salt, formerSalt, state, ...due } = row;
  const hook = { url, format, language, salt, formerSalt, state };
  return { ...due, event: { type, data } as WebhookEvent, hook };
}

type Row = Omit<DueWebhook, "event" | "hook"> & DueWebhook["hook"] & { type: string; data: object };

/** Resets the failures of a webhook whose receiver has accepted a message, and holds the next ones for a while. */
export async function noteAccepted(
  transaction: Db,
  webhookId: number,
  holdS: number | undefined,
): Promise<void> {
  await transaction("webhooks")
    .where({ id: webhookId })
    .update({
      failures: 0,
      failing_since: null,
      last_failure: null,
      hold_until: holdS === undefined ? null : transaction.raw("now() + make_interval(secs => ?)", [holdS]),
      last_sent_at: transaction.fn.now(),
    });
}

interface ReceiverFailure {
  readonly reason: string;
  /** Seconds to hold the webhook's other messages. */
  readonly holdS: number;
  /** False if the receiver only requested a pause. */
  readonly counts: boolean;
  /** Whether the receiver reported that it is gone for good. */
  readonly isGone: boolean;
  /** Whether to send a mail if the failure switches the webhook off. */
  readonly sendsMail: boolean;
}

/**
 * Counts a failed attempt with its webhook. Resolves to whether that has switched the webhook off. In that case its
 * waiting messages are dropped, and its owner gets a mail.
 */
export async function noteReceiverFailure(
  transaction: Db,
  { webhook_id: id, user_id }: Pick<DueWebhook, "webhook_id" | "user_id">,
  { reason, holdS, counts, isGone, sendsMail }: ReceiverFailure,
): Promise<boolean> {
  const [hook] = await selectRows<{ isOff: boolean }>(
    transaction,
    `with before as (select id, state from webhooks where id = :id for no key update)
     update webhooks hook
        set failures = hook.failures + :counted, last_failure = :reason,
            failing_since = case when :counted = 0 then hook.failing_since else coalesce(hook.failing_since, now()) end,
            hold_until = greatest(hook.hold_until, now() + make_interval(secs => :holdS)),
            state = case when hook.state = 'on' and (:isGone or hook.failures + :counted >= ${FAILURES_BEFORE_OFF}
                              and hook.failing_since < now() - interval '${FAILING_BEFORE_OFF}')
                         then 'failed' else hook.state end
       from before where hook.id = before.id
     returning hook.state = 'failed' and before.state = 'on' as "isOff"`,
    { id, counted: counts ? 1 : 0, reason, holdS, isGone },
  );
  if (!hook?.isOff) return false;
  await transaction("deliveries")
    .where({ webhook_id: id, state: "waiting" })
    .update({ state: "dropped", reason: "off", settled_at: transaction.fn.now() });
  if (sendsMail) await addJobs(transaction, await failureJobs(transaction, id, user_id));
  return true;
}

/** Mails about a webhook that was switched off: to its owner, or to all operators for one of the site. */
async function failureJobs(db: Db, webhookId: number, userId: number | null): Promise<JobSpec[]> {
  const owners = db("users").whereNotNull("confirmed_email").pluck<number[]>("id");
  const ids = await owners.where(userId === null ? { role: "operator" } : { id: userId });
  return ids.map((id) => ({ task: "tell_webhook_failed", payload: { webhookId, userId: id } }));
}

/** Removes events that happened long ago and are settled everywhere; resolves to their number. */
export async function removeOldEvents(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    "webhook_events",
    `at < now() - interval '${KEPT}' and not exists (
       select from deliveries where event_id = webhook_events.id and state = 'waiting')`,
  );
}

/** How many webhooks of the site were switched off after failures. */
export async function countStoppedWebhooks(db: Db): Promise<number> {
  const sql = "select count(*)::int as count from webhooks where user_id is null and state = 'failed'";
  return (await selectRow<{ count: number }>(db, sql)).count;
}

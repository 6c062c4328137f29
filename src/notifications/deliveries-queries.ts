import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { addJobs } from "../db/jobs.ts";
import { selectRow } from "../db/rows.ts";
import { ALERT, JOIN_ALERT, readAlert } from "./alerts/alert.ts";
import type { Failure, JobOfDelivery } from "./channels/channel.ts";
import { isDigest, isMailed, JOB_KEY, WANTED } from "./channels.ts";
import { deliveryJob, digestJob } from "./delivery-jobs.ts";
import { nextDigestAt } from "./email/digest-times.ts";
import { ENDED, type WaitingDelivery } from "./may-send.ts";
import { type Attempted, afterFailure } from "./retries.ts";

/** A new delivery with the data of its job. */
export interface NewDelivery extends JobOfDelivery {
  /** Null if never chosen; undefined if it is not part of a daily mail. */
  readonly digest_hour?: number | null;
  readonly time_zone?: string | null;
}

/** Maximum length of a stored reason of a failure. */
const REASON_CHARACTERS = 500;

/** The maximum number of deliveries that one run of housekeeping handles. */
const SWEPT_AT_ONCE = 10_000;

/**
 * Adds the jobs of new deliveries, in the transaction that creates them. Daily mails wait for the user's hour; `urgent`
 * ones go before others.
 */
export async function addDeliveryJobs(
  db: Db,
  deliveries: readonly NewDelivery[],
  { urgent = false }: { urgent?: boolean } = {},
): Promise<void> {
  const now = new Date();
  const single = deliveries.filter(({ channel }) => !isDigest(channel));
  await addJobs(
    db,
    single.map((delivery) => deliveryJob(delivery, { urgent })),
  );
  const daily = deliveries.flatMap(({ channel, user_id, digest_hour, time_zone }) =>
    isDigest(channel) && user_id !== null
      ? [digestJob(user_id, nextDigestAt(digest_hour ?? null, time_zone ?? null, now))]
      : [],
  );
  await addJobs(db, daily, { keepRunAt: true });
}

/** A waiting delivery of a notification; undefined if it is settled, or removed with its notification. */
export async function findWaitingDelivery(
  db: Db,
  id: number,
  channel: string,
): Promise<WaitingDelivery | undefined> {
  const row: WaitingRow | undefined = await waitingDeliveries(db)
    .where({ "delivery.id": id, "delivery.channel": channel })
    .first();
  return row && toDelivery(row);
}

/** A user's waiting deliveries for the daily mail: those of one that has begun, or with null those of none. */
export async function listWaitingForDigest(
  db: Db,
  userId: number,
  digestId: number | null,
): Promise<WaitingDelivery[]> {
  const rows: WaitingRow[] = await waitingDeliveries(db)
    .where({ "delivery.user_id": userId, "delivery.channel": "digest", "delivery.digest_id": digestId })
    .orderBy([{ column: "discount.ends_at", nulls: "last" }, "item.name", "delivery.id"]);
  return rows.map(toDelivery);
}

type Offer = NonNullable<WaitingDelivery["offer"]>;
type WaitingRow = Omit<WaitingDelivery, "offer" | "unreachable" | "alert"> &
  Offer & { alert: Parameters<typeof readAlert>[0] };

function waitingDeliveries(db: Db): Knex.QueryBuilder {
  return db("deliveries as delivery")
    .join("notifications as notification", "notification.id", "delivery.notification_id")
    .join("users", "users.id", "delivery.user_id")
    .leftJoin("notification_settings as setting", "setting.user_id", "users.id")
    .leftJoin("push_subscriptions as subscription", "subscription.id", "delivery.subscription_id")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notification.discount_id").on("discount.run", "notification.run"),
    )
    .leftJoin("donate_items as item", "item.id", "notification.item_key")
    .joinRaw(JOIN_ALERT)
    .where({ "delivery.state": "waiting" })
    .select("delivery.id", "delivery.channel", "delivery.attempts", "delivery.created_at as createdAt")
    .select("notification.id as notificationId")
    .select(
      "item.id as itemKey",
      "item.name as itemName",
      "item.names as itemNames",
      "item.picture",
      "item.image",
      "item.price as itemPrice",
      "notification.old_price as toldOldPrice",
      "notification.new_price as toldPrice",
      "notification.low",
      "notification.wish",
      "item.currency",
      "discount.title",
      "discount.titles",
      "discount.percent",
      "discount.price",
      "discount.starts_at as startsAt",
      "discount.ends_at as endsAt",
    )
    .select(
      db.raw("coalesce(discount.starts_at <= now(), true) as started"),
      db.raw(`${ALERT} as alert`),
      db.raw(`${ENDED} as ended`),
      db.raw(`${WANTED} as wanted`),
      db.raw(`json_build_object('id', users.id, 'name', users.name, 'email', users.confirmed_email,
                'language', users.language, 'timeZone', users.time_zone,
                'quietFrom', setting.quiet_from, 'quietUntil', setting.quiet_until) as "user"`),
      db.raw(`case when subscription.id is not null then json_build_object('id', subscription.id,
                'endpoint', subscription.endpoint, 'p256dh', subscription.p256dh, 'auth', subscription.auth)
              end as subscription`),
    );
}

function toDelivery(row: WaitingRow): WaitingDelivery {
  const { itemKey, itemName, itemNames, picture, image, itemPrice, currency, title, titles, ...rest } = row;
  const { percent, price, endsAt, toldOldPrice, toldPrice, low, wish, alert, ...delivery } = rest;
  const item = { itemKey, itemName, itemNames, picture, image, itemPrice, currency };
  const offer = { ...item, title, titles, percent, price, endsAt, toldOldPrice, toldPrice, low, wish };
  const unreachable = isMailed(row.channel) && row.user.email === null;
  return { ...delivery, unreachable, alert: readAlert(alert), offer: itemKey === null ? null : offer };
}

/** Settles waiting deliveries; those that were settled meanwhile stay. `tried` counts it as an attempt. */
export async function settle(
  db: Db,
  ids: number[],
  state: "sent" | "dropped" | "dead",
  { reason, tried = false }: { reason?: string; tried?: boolean } = {},
): Promise<void> {
  await waiting(db, ids)
    .increment("attempts", tried ? 1 : 0)
    .update({
      state,
      reason: reason === undefined ? null : storableReason(reason),
      settled_at: db.fn.now(),
    });
}

/** Stores a failed attempt, and settles the deliveries if a retry cannot help. Adds no job. */
export async function noteFailure(
  db: Db,
  ids: number[],
  error: unknown,
  attempted: Attempted,
): Promise<Failure> {
  const verdict = afterFailure(error, attempted);
  const reason = describeFailure(error);
  if (verdict.state === "waiting") {
    await waiting(db, ids)
      .increment("attempts", verdict.counts ? 1 : 0)
      .update({ reason });
  } else await settle(db, ids, verdict.state, { reason, tried: verdict.counts });
  return { error, reason, verdict };
}

/** The deliveries among these that still wait. */
export function waiting(db: Db, ids: number[]) {
  return db("deliveries").whereRaw("id = any(?)", [ids]).where({ state: "waiting" });
}

/** An error's message, for storage and the log; the rest of an error may contain addresses. */
export function describeFailure(error: unknown): string {
  return storableReason(error instanceof Error ? error.message : String(error));
}

/** Shortened, and without control characters: Postgres refuses NUL. */
function storableReason(said: string): string {
  const text = said.replace(/\p{Cc}+/gu, " ").trim();
  return [...text].slice(0, REASON_CHARACTERS).join("");
}

/**
 * Drops waiting deliveries of discounts that are over or withdrawn, and of outdated alerts, except those that are being
 * sent. Their own jobs would drop them too, but only at the next attempt, and only if some process sends by the
 * channel. Resolves to their number.
 */
export async function dropEnded(db: Db): Promise<number> {
  const { count, keys } = await selectRow<{ count: number; keys: string[] | null }>(
    db,
    `with ended as (
       select delivery.id, ${JOB_KEY} as key, ${ENDED} as reason
         from deliveries delivery join notifications notification on notification.id = delivery.notification_id
           left join discounts discount on discount.id = notification.discount_id and discount.run = notification.run
           ${JOIN_ALERT}
        where delivery.state = 'waiting' and ${ENDED} is not null
        limit ${SWEPT_AT_ONCE}),
     dropped as (
       update deliveries delivery set state = 'dropped', reason = ended.reason, settled_at = now()
         from ended
        where delivery.id = ended.id and delivery.state = 'waiting'
          and not exists (select from graphile_worker.jobs where key = ended.key and locked_at is not null)
       returning ended.key)
     select count(*)::int as count, array_agg(key) filter (where key like 'delivery:%') as keys from dropped`,
  );
  // Keeps the jobs of daily mails, which may contain other discounts.
  await removeIdleJobs(db, keys ?? []);
  return count;
}

/** Otherwise operators would see due jobs that no worker takes. */
async function removeIdleJobs(db: Db, keys: string[]): Promise<void> {
  await db.raw(
    `select from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs where key = any(?) and locked_at is null))`,
    [keys],
  );
}

/**
 * Adds jobs for deliveries that have been waiting for 15 minutes without one: the queue drops a job if its worker died
 * in every attempt. Resolves to their number.
 */
export async function addLostJobs(db: Db): Promise<number> {
  const lost: JobOfDelivery[] = await db("deliveries as delivery")
    .where({ state: "waiting" })
    .whereRaw("created_at < now() - interval '15 minutes'")
    .whereNotExists((query) =>
      query
        .select(db.raw("1"))
        .from("graphile_worker.jobs as job")
        .whereRaw(`job.key = ${JOB_KEY}`)
        .whereRaw("(job.attempts < job.max_attempts or job.locked_at is not null)"),
    )
    .limit(SWEPT_AT_ONCE)
    .select(JOB_COLUMNS);
  await addRetryJobs(db, lost);
  return lost.length;
}

const JOB_COLUMNS = ["id", "user_id", "channel", "webhook_id"] as const;

/** Adds jobs, due now, for waiting deliveries: one job for all of a user's daily mail. */
async function addRetryJobs(db: Db, deliveries: readonly JobOfDelivery[]): Promise<void> {
  const jobs = deliveries.map((delivery) => {
    const { channel, user_id } = delivery;
    return isDigest(channel) && user_id !== null ? digestJob(user_id) : deliveryJob(delivery);
  });
  await addJobs(db, [...new Map(jobs.map((job) => [job.key, job])).values()]);
}

/** Retries one dead delivery, or all, with all attempts. Resolves to their number. */
export async function retryDead(db: Knex, id?: number): Promise<number> {
  return db.transaction(async (transaction) => {
    const dead = transaction("deliveries").where({ state: "dead" });
    if (id !== undefined) dead.where({ id });
    const revived: JobOfDelivery[] = await dead
      .update({ state: "waiting", attempts: 0, reason: null, settled_at: null })
      .returning(JOB_COLUMNS);
    await addRetryJobs(transaction, revived);
    return revived.length;
  });
}

/** Drops a dead delivery. Resolves to 1, or to 0 if it was not dead. */
export async function discardDead(db: Db, id: number): Promise<number> {
  return db("deliveries")
    .where({ id, state: "dead" })
    .update({
      state: "dropped",
      reason: db.raw("'discarded by an operator' || coalesce('; ' || reason, '')"),
      settled_at: db.fn.now(),
    });
}

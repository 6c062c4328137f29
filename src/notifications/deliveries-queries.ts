import type { Db } from "../db/connect.ts";
import { addJobs } from "../db/jobs.ts";
import type { DiscountTerms } from "../prices/prices.ts";
import { deliveryJob, digestJob } from "./delivery-jobs.ts";
import { nextDigestAt } from "./email/digest-times.ts";

/**
 * What a channel needs to know to send one notification; figures are as they are now, not as they were when it was
 * made.
 */
export interface DueDelivery {
  readonly id: number;
  readonly channel: "email" | "push";
  readonly user: {
    readonly id: number;
    readonly name: string;
    /** The confirmed address; there is one where the channel is e-mail. */
    readonly email: string | null;
    readonly language: string | null;
    readonly timeZone: string | null;
  };
  /** The browser to send to; null for e-mail. */
  readonly subscription: {
    readonly id: number;
    readonly endpoint: string;
    readonly p256dh: string;
    readonly auth: string;
  } | null;
  readonly notification: {
    readonly id: number;
    readonly itemKey: string;
    readonly itemName: string;
    /** Names in other languages, by language. */
    readonly itemNames: Record<string, string>;
    readonly title: string | null;
    /** Decimal text; null where the item has no price of its own. */
    readonly oldPrice: string | null;
    readonly newPrice: string;
    readonly currency: string;
    /** null: until somebody ends it. */
    readonly endsAt: Date | null;
  };
}

/** A delivery that was just made, with what its job needs. */
export interface NewDelivery {
  readonly id: number;
  readonly user_id: number;
  readonly channel: "email" | "digest" | "push";
  readonly digest_hour: number;
  readonly time_zone: string | null;
}

/** A delivery that waits, with everything it hangs on as it is now. */
export interface WaitingDelivery {
  readonly id: number;
  readonly channel: DueDelivery["channel"];
  readonly attempts: number;
  readonly notificationId: number;
  readonly user: DueDelivery["user"];
  /** Whether the user still asks for this channel. */
  readonly wanted: boolean;
  readonly subscription: DueDelivery["subscription"];
  /** null: the discount or its item is there no more, or its record tells of another one by now. */
  readonly offer: (Omit<DueDelivery["notification"], "id" | "newPrice"> & DiscountTerms) | null;
  readonly started: boolean;
  readonly over: boolean;
  readonly startsAt: Date;
}

/** What another side says of a failure is for the operator to read; no more of it is kept. */
const REASON_CHARACTERS = 500;

/** Deliveries that one run of a loop looks after at most. */
const SWEPT_AT_ONCE = 10_000;

/** The key of a delivery's job, as delivery-jobs.ts makes it. */
const JOB_KEY = `case delivery.channel when 'digest' then 'digest:' || delivery.user_id
                   else 'delivery:' || delivery.id end`;

/** Columns of what a notification offers, of `item` and `discount`. */
export const OFFER_COLUMNS = [
  "item.id as itemKey",
  "item.name as itemName",
  "item.names as itemNames",
  "item.price as oldPrice",
  "item.currency",
  "discount.title",
  "discount.percent",
  "discount.price",
  "discount.ends_at as endsAt",
];

/** Adds the jobs of new deliveries, in the transaction that made them. A daily mail waits for the user's hour. */
export async function addDeliveryJobs(db: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  const now = new Date();
  const single = deliveries.flatMap(({ id, channel }) =>
    channel === "digest" ? [] : [deliveryJob({ id, channel })],
  );
  const daily = deliveries.flatMap(({ user_id, channel, digest_hour, time_zone }) =>
    channel === "digest" ? [digestJob(user_id, nextDigestAt(digest_hour, time_zone, now))] : [],
  );
  await addJobs(db, single);
  await addJobs(db, daily, { keepRunAt: true });
}

/** One delivery of e-mail or push that waits; undefined: it is settled, or gone with its notification. */
export async function findWaitingDelivery(db: Db, id: number): Promise<WaitingDelivery | undefined> {
  const row = await db("deliveries as delivery")
    .join("notifications as notification", "notification.id", "delivery.notification_id")
    .join("users", "users.id", "delivery.user_id")
    .leftJoin("notification_settings as setting", "setting.user_id", "users.id")
    .leftJoin("push_subscriptions as subscription", "subscription.id", "delivery.subscription_id")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notification.discount_id").on("discount.run", "notification.run"),
    )
    .leftJoin("donate_items as item", "item.id", "discount.item_key")
    .where({ "delivery.id": id, "delivery.state": "waiting" })
    .whereIn("delivery.channel", ["email", "push"])
    .select(
      "delivery.id",
      "delivery.channel",
      "delivery.attempts",
      "notification.id as notificationId",
      "discount.starts_at as startsAt",
    )
    .select(
      db.raw(`case delivery.channel when 'push' then coalesce(setting.push, false)
                else coalesce(setting.email, 'off') <> 'off' end as wanted`),
      db.raw("discount.starts_at <= now() as started"),
      db.raw("coalesce(discount.ends_at <= now(), false) as over"),
      db.raw(`json_build_object('id', users.id, 'name', users.name, 'email', users.confirmed_email,
                'language', users.language, 'timeZone', users.time_zone) as "user"`),
      db.raw(`case when subscription.id is not null then json_build_object('id', subscription.id,
                'endpoint', subscription.endpoint, 'p256dh', subscription.p256dh, 'auth', subscription.auth)
              end as subscription`),
    )
    .select(OFFER_COLUMNS)
    .first();
  return row && toDelivery(row);
}

type Offer = NonNullable<WaitingDelivery["offer"]>;

function toDelivery(row: Omit<WaitingDelivery, "offer"> & Offer): WaitingDelivery {
  const { itemKey, itemName, itemNames, oldPrice, currency, title, percent, price, endsAt, ...delivery } =
    row;
  if (itemKey === null) return { ...delivery, offer: null };
  return {
    ...delivery,
    offer: { itemKey, itemName, itemNames, oldPrice, currency, title, percent, price, endsAt },
  };
}

/** Ends a delivery that waits; of one that was settled in between, what was noted first stays. */
export async function settle(
  db: Db,
  id: number,
  state: "sent" | "dropped" | "dead",
  reason: string | null,
  attempts?: number,
): Promise<void> {
  await db("deliveries")
    .where({ id, state: "waiting" })
    .update({
      state,
      reason: reason && storableReason(reason),
      settled_at: db.fn.now(),
      ...(attempts !== undefined && { attempts }),
    });
}

/** Notes an attempt that failed and is to be repeated. */
export async function countFailure(db: Db, id: number, reason: string): Promise<void> {
  await db("deliveries")
    .where({ id, state: "waiting" })
    .increment("attempts")
    .update({ reason: storableReason(reason) });
}

/** What the other side said, in a form that Postgres takes: it refuses NUL. Long ones are cut. */
export function storableReason(said: string): string {
  const text = said.replace(/\p{Cc}+/gu, " ").trim();
  return [...text].slice(0, REASON_CHARACTERS).join("");
}

/**
 * Drops what waits of discounts that are over or withdrawn, but for what is on its way just now. Its own job would do so
 * too, but not where no process sends by its channel, or between two attempts that are hours apart. Resolves to how many.
 */
export async function dropEnded(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `with ended as (
       select delivery.id, ${JOB_KEY} as key,
              case when discount.id is null then 'the discount was withdrawn' else 'the discount is over' end as reason
         from deliveries delivery join notifications notification on notification.id = delivery.notification_id
           left join discounts discount on discount.id = notification.discount_id and discount.run = notification.run
        where delivery.state = 'waiting' and (discount.id is null or discount.ends_at <= now())
        limit ${SWEPT_AT_ONCE}),
     dropped as (
       update deliveries delivery set state = 'dropped', reason = ended.reason, settled_at = now()
         from ended
        where delivery.id = ended.id and delivery.state = 'waiting'
          and not exists (select from graphile_worker.jobs where key = ended.key and locked_at is not null)
       returning ended.key)
     select count(*)::int as count, array_agg(key) filter (where key like 'delivery:%') as keys from dropped`,
  );
  const [{ count, keys }] = rows;
  // Not those of daily mails, which may be for other discounts too.
  await removeIdleJobs(db, keys ?? []);
  return count;
}

/** Where nobody takes them, an operator would be told that jobs are due and nobody works. */
async function removeIdleJobs(db: Db, keys: string[]): Promise<void> {
  await db.raw(
    `select from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs where key = any(?) and locked_at is null))`,
    [keys],
  );
}

/**
 * Adds the jobs of deliveries that wait for longer than a quarter of an hour and have none: their workers died in every
 * attempt, so that the queue gave them up. Resolves to how many.
 */
export async function addLostJobs(db: Db): Promise<number> {
  const lost: { id: number; user_id: number; channel: NewDelivery["channel"] }[] = await db(
    "deliveries as delivery",
  )
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
    .select("id", "user_id", "channel");
  await addRetryJobs(db, lost);
  return lost.length;
}

/** Adds jobs, due now, for deliveries that wait; one for all of a user's daily mail. */
export async function addRetryJobs(
  db: Db,
  deliveries: readonly Pick<NewDelivery, "id" | "user_id" | "channel">[],
): Promise<void> {
  const single = deliveries.flatMap(({ id, channel }) =>
    channel === "digest" ? [] : [deliveryJob({ id, channel })],
  );
  const users = new Set(
    deliveries.flatMap(({ user_id, channel }) => (channel === "digest" ? [user_id] : [])),
  );
  await addJobs(db, [...single, ...[...users].map((userId) => digestJob(userId))]);
}

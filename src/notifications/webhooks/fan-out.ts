import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { type DiscountTerms, loweredPrice } from "../../records/prices/prices.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { JobOfDelivery } from "../channels/channel.ts";
import { addDeliveryJobs } from "../deliveries-queries.ts";
import { passOverCrossings, takeCrossings } from "./crossing-queries.ts";
import { NEW_MESSAGES } from "./delivery-queries.ts";
import { TOLD_AT_MOST, type ToldDiscount, type ToldEntry, type WebhookEvent, WORD_OF } from "./events.ts";

/** How long changes of a kind are collected. */
const GATHER_S = 15;

/** Noted changes: `total` changed records, or a user's notifications; `ids` has the first ones. */
interface News {
  readonly event: "discount" | "entry_new" | "entry_changed";
  /** The user; null for all webhooks whose scope is everything. */
  readonly user_id: number | null;
  readonly kind: CatalogueKind | null;
  readonly total: number;
  readonly ids: string[];
}

/**
 * Creates events and deliveries for all changes since the last run, with the deliveries' jobs, in one transaction. Any
 * number of processes may call it, because a lock lets one at a time run. Resolves to the number of deliveries.
 */
export async function fanOut(db: Knex, { gatherS = GATHER_S } = {}): Promise<number> {
  if (!(await hasWebhooks(db))) return 0;
  return db.transaction(async (transaction) => {
    if (!(await holdFanOut(transaction))) return 0;
    const started = await takeStarted(transaction);
    const news = await takeNews(transaction, gatherS);
    const made: JobOfDelivery[] = [];
    for (const { userId, outageMin, ...event } of await takeCrossings(transaction)) {
      made.push(...(await addEvent(transaction, event, userId, outageMin)));
    }
    if (started.length > 0) made.push(...(await tellDiscounts(transaction, started, null)));
    for (const item of merged(news)) made.push(...(await tell(transaction, item)));
    await addDeliveryJobs(transaction, made);
    return made.length;
  });
}

/**
 * Skips all earlier changes before the first webhook is on, so that it gets later events only, not all running
 * discounts. Call `fanOut` first, for webhooks that are already on.
 */
export async function passOver(transaction: Knex.Transaction): Promise<void> {
  if (await hasWebhooks(transaction)) return;
  await takeStarted(transaction);
  await passOverCrossings(transaction);
  await transaction("webhook_news").delete();
}

async function tell(transaction: Knex.Transaction, news: News): Promise<JobOfDelivery[]> {
  if (news.event === "discount" || news.kind === null) {
    return tellDiscounts(transaction, await listDiscounts(transaction, news.ids), news.user_id);
  }
  const entries = await listEntries(transaction, news.kind, news.ids.slice(0, TOLD_AT_MOST));
  const type = news.event === "entry_new" ? "entries.added" : "entries.changed";
  return addEvent(transaction, { type, data: { kind: news.kind, count: news.total, entries } }, news.user_id);
}

async function tellDiscounts(
  transaction: Knex.Transaction,
  all: readonly ToldDiscount[],
  userId: number | null,
): Promise<JobOfDelivery[]> {
  if (all.length === 0) return [];
  const data = { count: all.length, discounts: all.slice(0, TOLD_AT_MOST) };
  return addEvent(transaction, { type: "discount.started", data }, userId);
}

/** Merges changes by event, kind and user; a record that changed twice is counted twice. */
function merged(news: readonly News[]): News[] {
  const groups = new Map<string, News>();
  for (const item of news) {
    const key = JSON.stringify([item.event, item.kind, item.user_id]);
    const known = groups.get(key);
    const ids = known ? [...new Set([...known.ids, ...item.ids])] : item.ids;
    groups.set(key, { ...item, ids, total: item.total + (known?.total ?? 0) });
  }
  return [...groups.values()];
}

/** Whether this transaction may create events; false while another process does. */
async function holdFanOut(transaction: Db): Promise<boolean> {
  const sql = "select pg_try_advisory_xact_lock(hashtext('almanac webhooks')) as held";
  return (await selectRow<{ held: boolean }>(transaction, sql)).held;
}

/** Whether there are any webhooks to notify. */
async function hasWebhooks(db: Db): Promise<boolean> {
  const sql = "select exists (select from webhooks where state = 'on') as found";
  return (await selectRow<{ found: boolean }>(db, sql)).found;
}

/**
 * Takes the noted news. Changes of a kind are debounced for `gatherS` seconds after the first one, so that single
 * changes, such as pictures, become one message.
 */
async function takeNews(transaction: Db, gatherS: number): Promise<News[]> {
  return selectRows(
    transaction,
    `with taken as (
       delete from webhook_news
        where event = 'discount' or (event, kind) in (
                select event, kind from webhook_news
                 group by event, kind having min(at) <= clock_timestamp() - make_interval(secs => ?))
       returning *)
     select event, user_id, kind, total, ids from taken order by id`,
    [gatherS],
  );
}

type DiscountRow = Omit<ToldDiscount, "newPrice"> & DiscountTerms;

/** SQL: the fields of a ToldDiscount, with the terms of the discount. */
const TOLD = `discount.id, discount.run, discount.title, discount.titles, discount.percent, discount.price,
  item.price as "oldPrice", item.currency, discount.starts_at as "startsAt", discount.ends_at as "endsAt",
  json_build_object('id', item.id, 'name', item.name, 'names', item.names, 'picture', item.picture,
                    'image', item.image) as item`;

/** Takes the running discounts that lower a price and have not been sent to webhooks yet; marks them as sent. */
async function takeStarted(transaction: Db): Promise<ToldDiscount[]> {
  const rows = await selectRows<DiscountRow>(
    transaction,
    `select ${TOLD} from discounts discount join discount_runs known on known.discount_id = discount.id
       join donate_items item on item.id = discount.item_key
      where discount.starts_at <= now() and (discount.ends_at is null or discount.ends_at > now())
        and known.webhooks_run < discount.run
      order by item.name collate name_order, discount.id for no key update of known skip locked`,
  );
  const started = lowering(rows);
  await transaction("discount_runs")
    .whereRaw("discount_id = any(?)", [started.map(({ id }) => id)])
    .update({ webhooks_run: transaction.ref("run") });
  return started;
}

async function listDiscounts(db: Db, notifications: readonly string[]): Promise<ToldDiscount[]> {
  const rows = await selectRows<DiscountRow>(
    db,
    `select ${TOLD} from notifications notification
       join discounts discount on discount.id = notification.discount_id and discount.run = notification.run
       join donate_items item on item.id = discount.item_key
      where notification.id = any(?::bigint[])
      order by item.name collate name_order, discount.id`,
    [[...notifications]],
  );
  return lowering(rows);
}

function lowering(rows: readonly DiscountRow[]): ToldDiscount[] {
  return rows.flatMap(({ percent, price, ...told }) => {
    const newPrice = loweredPrice({ price: told.oldPrice, currency: told.currency }, { percent, price });
    return newPrice === null ? [] : [{ ...told, newPrice }];
  });
}

/** Reads records of the catalogue; those removed meanwhile are left out. */
async function listEntries(db: Db, kind: CatalogueKind, ids: readonly string[]): Promise<ToldEntry[]> {
  return db(kind)
    .whereRaw("id = any(?)", [[...ids]])
    .orderBy("id")
    .select("id", "name", "names", "category", "picture", "image", "revision");
}

const HOUR = `extract(hour from now() at time zone
  coalesce((select users.time_zone from users where users.id = webhooks.user_id), 'UTC'))`;

/** SQL: whether a row of `webhooks` has quiet hours now, even over midnight. */
const IS_QUIET = `coalesce(case when quiet_from < quiet_until then ${HOUR} >= quiet_from and ${HOUR} < quiet_until
  else ${HOUR} >= quiet_from or ${HOUR} < quiet_until end, false)`;

/**
 * Stores an event with a delivery for each subscribed webhook; does nothing without any.
 * @param userId the user whose favorites it is about; null for everything
 * @param outageMin for servers, the delay of the webhooks that get the event; those with quiet hours now get nothing
 */
async function addEvent(
  transaction: Knex.Transaction,
  { type, data }: Exclude<WebhookEvent, { type: "test" }>,
  userId: number | null,
  outageMin: number | null = null,
): Promise<JobOfDelivery[]> {
  const word = WORD_OF[type];
  const kind = "kind" in data ? data.kind : null;
  return selectRows(
    transaction,
    `with hook as (
       select id, user_id from webhooks
        where state = 'on' and :word = any(events) and (kind is null or :kind::text is null or kind = :kind)
          and case when :userId::bigint is not null then user_id = :userId and scope = 'favorites'
                   else scope = 'all' or :word = 'entry_new' end
          and (:outageMin::integer is null or outage_min = :outageMin and not ${IS_QUIET})
        order by id for key share skip locked),
     event as (
       insert into webhook_events (type, data) select :type, :data::jsonb where exists (select from hook) returning id),
     ${NEW_MESSAGES}
     select id, channel, user_id, webhook_id from delivery`,
    { word, kind, userId, outageMin, type, data: JSON.stringify(data) },
  );
}

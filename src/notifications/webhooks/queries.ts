import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { addJobs } from "../../db/jobs.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { requireSession } from "../../db/sessions.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { DeliveryState, JobOfDelivery } from "../channels/channel.ts";
import { deliveryJob } from "../delivery-jobs.ts";
import { NEW_MESSAGES } from "./delivery-queries.ts";
import type { EventWord, Format, Scope, WebhookEvent } from "./events.ts";
import { fanOut, passOver } from "./fan-out.ts";

/** The owner of webhooks: a user, or the site (null). */
export type Owner = number | null;

/** The maximum number of webhooks of a user, and of the site. */
export const WEBHOOKS_AT_MOST = 5;
export const SITE_WEBHOOKS_AT_MOST = 20;

const DELIVERIES_LISTED = 20;

/** The maximum number of tests of one owner within an hour. */
const TESTS_AT_MOST = 10;

/** The owner's settings of a webhook. */
export interface WebhookChoice {
  readonly name: string;
  readonly language: string;
  readonly events: readonly EventWord[];
  readonly scope: Scope;
  /** The kind of entries; null for all kinds. */
  readonly kind: CatalogueKind | null;
  /** How many minutes a server's outage must last to be reported. */
  readonly outage_min: number;
  /** Hours without messages about servers, in the owner's time zone, excluding `quiet_until`; null for none. */
  readonly quiet_from: number | null;
  readonly quiet_until: number | null;
}

export interface Webhook extends WebhookChoice {
  readonly id: number;
  /** The address, which contains a secret for most receivers. */
  readonly url: string;
  readonly format: Format;
  readonly state: "on" | "off" | "failed";
  /** Why the last attempt failed; null if it succeeded. */
  readonly last_failure: string | null;
  readonly last_sent_at: Date | null;
}

const COLUMNS = [
  ...(["id", "name", "url", "format", "language", "events", "scope", "kind"] as const),
  ...(["outage_min", "quiet_from", "quiet_until"] as const),
  ...(["state", "last_failure", "last_sent_at"] as const),
];

export async function listWebhooks(db: Db, owner: Owner): Promise<Webhook[]> {
  return ofOwner(db, owner).orderBy("id").select(COLUMNS);
}

export async function findWebhook(db: Db, owner: Owner, id: number): Promise<Webhook | undefined> {
  return ofOwner(db, owner).where({ id }).first(COLUMNS);
}

/** True if a failed message will be retried. */
export async function hasRetry(db: Db, webhookId: number): Promise<boolean> {
  const waiting = db("deliveries").where({ webhook_id: webhookId, state: "waiting" });
  return (await waiting.whereNotNull("reason").first("id")) !== undefined;
}

/** A statement about webhooks of one owner only. */
function ofOwner(db: Db, owner: Owner): Knex.QueryBuilder {
  return db("webhooks").where({ user_id: owner });
}

export interface NewWebhook extends WebhookChoice {
  readonly url: string;
  readonly format: Format;
  /** The id of the form, which creates at most one webhook. */
  readonly formId: string | undefined;
  /** The session of the request; an ended one adds nothing. */
  readonly sessionId: string;
}

/**
 * Adds a webhook, which gets all events from now on. Resolves to its id and to the source of its secret; to "too
 * many" beyond the limit, or to "made already" if the form has created one.
 * @throws SessionEndedError
 */
export async function addWebhook(
  db: Knex,
  owner: Owner,
  { formId, sessionId, kind, events, ...columns }: NewWebhook,
): Promise<{ id: number; salt: Buffer } | "too many" | "made already"> {
  await fanOut(db);
  return db.transaction(async (transaction) => {
    await holdOwner(transaction, owner);
    await requireSession(transaction, sessionId);
    if (formId !== undefined && (await ofOwner(transaction, owner).where({ form_id: formId }).first("id"))) {
      return "made already";
    }
    const [counted] = await ofOwner(transaction, owner).count({ count: "*" });
    const most = owner === null ? SITE_WEBHOOKS_AT_MOST : WEBHOOKS_AT_MOST;
    if (Number(counted?.count) >= most) return "too many";
    await passOver(transaction);
    const salt = randomBytes(32);
    const row = { user_id: owner, form_id: formId, kind, events: [...events], salt, ...columns };
    const [added] = await transaction("webhooks").insert(row).returning("id");
    return { id: added.id, salt };
  });
}

/** Locks an owner's webhooks, so that concurrent changes count each other. */
async function holdOwner(transaction: Db, owner: Owner): Promise<void> {
  if (owner === null)
    await transaction.raw("select pg_advisory_xact_lock(hashtext('almanac site webhooks'))");
  else await transaction("users").where({ id: owner }).forNoKeyUpdate().first("id");
}

/** Changes a webhook; a new address resets its failures. Resolves to whether the webhook exists. */
export async function changeWebhook(
  db: Db,
  owner: Owner,
  id: number,
  { events, ...choice }: WebhookChoice & { url?: string; format?: Format },
): Promise<boolean> {
  const anew = choice.url === undefined ? {} : CLEAN;
  return (
    (await ofOwner(db, owner)
      .where({ id })
      .update({ ...choice, events: [...events], ...anew })) > 0
  );
}

const CLEAN = { failures: 0, failing_since: null, last_failure: null, hold_until: null };

/** Switches a webhook off, or on with its failures reset. Resolves to whether the webhook exists. */
export async function switchWebhook(
  db: Knex,
  owner: Owner,
  id: number,
  state: "on" | "off",
): Promise<boolean> {
  if (state === "off") return (await ofOwner(db, owner).where({ id }).update({ state })) > 0;
  await fanOut(db);
  return db.transaction(async (transaction) => {
    await passOver(transaction);
    return (
      (await ofOwner(transaction, owner)
        .where({ id })
        .update({ state, ...CLEAN })) > 0
    );
  });
}

/** Switches all webhooks of a user off; resolves to how many were on. */
export async function switchAllOff(db: Db, userId: number): Promise<number> {
  return ofOwner(db, userId).where({ state: "on" }).update({ state: "off" });
}

export async function countWebhooksOn(db: Db, userId: number): Promise<number> {
  const [counted] = await ofOwner(db, userId).where({ state: "on" }).count({ count: "*" });
  return Number(counted?.count);
}

/** Replaces a webhook's secret; the previous one also signs for a day. Resolves to what the new one is derived from. */
export async function renewSecret(db: Db, owner: Owner, id: number): Promise<Buffer | undefined> {
  const salt = randomBytes(32);
  const changed = await ofOwner(db, owner)
    .where({ id, format: "signed" })
    .update({ salt, former_salt: db.ref("salt"), rotated_at: db.fn.now() });
  return changed > 0 ? salt : undefined;
}

/** Removes a webhook and its waiting deliveries; resolves to its name. */
export async function removeWebhook(db: Db, owner: Owner, id: number): Promise<string | undefined> {
  const [removed] = await ofOwner(db, owner).where({ id }).delete().returning("name");
  return removed?.name;
}

/**
 * Sends a webhook a test message. Resolves to the delivery's id, to "off" if the webhook is off, or to "too many"
 * beyond the owner's limit of tests.
 */
export async function sendTest(db: Knex, owner: Owner, id: number): Promise<number | "off" | "too many"> {
  return db.transaction(async (transaction) => {
    await holdOwner(transaction, owner);
    const hook = await ofOwner(transaction, owner).where({ id, state: "on" }).forKeyShare().first("id");
    if (!hook) return "off";
    const { tests } = await selectRow<{ tests: number }>(
      transaction,
      `select count(*)::int as tests
         from webhooks hook join deliveries delivery on delivery.webhook_id = hook.id
           join webhook_events event on event.id = delivery.event_id
        where hook.user_id is not distinct from ? and event.type = 'test' and event.at > now() - interval '1 hour'`,
      [owner],
    );
    if (tests >= TESTS_AT_MOST) return "too many";
    const made = await selectRow<JobOfDelivery>(
      transaction,
      `with hook as (select id, user_id from webhooks where id = ?),
       event as (insert into webhook_events (type, data) values ('test', '{}') returning id),
       ${NEW_MESSAGES}
       select * from delivery`,
      [id],
    );
    // A test does not wait for the end of a hold.
    await transaction("webhooks").where({ id }).update({ hold_until: null });
    await addJobs(transaction, [{ ...deliveryJob(made), priority: 0 }]);
    return made.id;
  });
}

/** The state of a delivery; undefined if it is gone. */
export async function findOutcome(
  db: Db,
  id: number,
): Promise<{ state: DeliveryState; attempts: number; reason: string | null } | undefined> {
  return db("deliveries").where({ id }).first("state", "attempts", "reason");
}

export interface ListedDelivery {
  readonly id: number;
  readonly type: WebhookEvent["type"];
  readonly count: number | null;
  readonly kind: CatalogueKind | null;
  readonly at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly message_id: string;
}

/** The latest deliveries of a webhook, newest first. */
export async function listDeliveries(db: Db, webhookId: number): Promise<ListedDelivery[]> {
  return selectRows(
    db,
    `select delivery.id, event.type, (event.data ->> 'count')::int as count, event.data ->> 'kind' as kind, event.at,
            delivery.state, delivery.attempts, delivery.reason,
            'msg_' || replace(delivery.message_id::text, '-', '') as message_id
       from deliveries delivery join webhook_events event on event.id = delivery.event_id
      where delivery.webhook_id = ? order by delivery.id desc limit ${DELIVERIES_LISTED}`,
    [webhookId],
  );
}

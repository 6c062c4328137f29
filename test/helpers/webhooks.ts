import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import type { Attempt } from "../../src/db/jobs.ts";
import { deliveryTasks } from "../../src/notifications/deliveries.ts";
import type { WebhookChoice } from "../../src/notifications/webhooks/queries.ts";
import {
  createWebhookTransport,
  type WebhookSenderOptions,
} from "../../src/notifications/webhooks/sender.ts";
import { webhookSecret } from "../../src/notifications/webhooks/signed-message.ts";

export const WEBHOOK_SECRET = "a session secret that only tests know";

export const WEBHOOK_SITE = {
  name: "Almanac",
  baseUrl: "https://almanac.test",
  imageHosts: [],
  secret: WEBHOOK_SECRET,
};

interface Columns extends Partial<WebhookChoice> {
  readonly url?: string;
  readonly user_id?: number | null;
  readonly format?: "discord" | "signed";
  readonly state?: string;
}

/** A webhook that is on and told of everything, unless told; resolves to its id and its secret. */
export async function addHook(db: Knex, columns: Columns = {}): Promise<{ id: number; secret: string }> {
  const salt = randomBytes(32);
  const [added] = await db("webhooks")
    .insert({
      name: "hook",
      url: "https://hook.example/",
      format: "signed",
      language: "en",
      events: ["discount", "entry_new", "entry_changed", "server"],
      scope: "all",
      salt,
      outage_min: 0,
      ...columns,
    })
    .returning("id");
  return { id: added.id, secret: webhookSecret(WEBHOOK_SECRET, salt) };
}

/** Works on a delivery as its job does. */
export async function deliverOne(
  db: Knex,
  id: number,
  options: Partial<WebhookSenderOptions> & Pick<WebhookSenderOptions, "egress">,
): Promise<void> {
  const usual = { db, site: WEBHOOK_SITE, sendsMail: false, timeoutMs: 2_000 };
  const tasks = deliveryTasks({
    db,
    transports: { webhook: createWebhookTransport({ ...usual, ...options }) },
  });
  const attempt: Attempt = { number: 1, isLast: false, signal: new AbortController().signal };
  await tasks.deliver_by_webhook?.({ deliveryId: id }, attempt);
}

/** Deliveries with their events, oldest first. */
export function listMade(db: Knex): Promise<
  {
    id: number;
    webhook_id: number;
    type: string;
    data: Record<string, never>;
    state: string;
    reason: string;
  }[]
> {
  return db("deliveries as delivery")
    .join("webhook_events as event", "event.id", "delivery.event_id")
    .orderBy(["event.id", "delivery.webhook_id"])
    .select(
      "delivery.id",
      "delivery.webhook_id",
      "event.type",
      "event.data",
      "delivery.state",
      "delivery.reason",
    );
}

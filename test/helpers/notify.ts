import type { Knex } from "knex";
import type { Tasks } from "../../src/db/jobs.ts";
import type { Sender } from "../../src/notifications/channels/channel.ts";
import { deliveryTasks, notificationTransport } from "../../src/notifications/deliveries.ts";
import { notifyOfDiscount } from "../../src/notifications/notify.ts";
import { listUnnotified } from "../../src/notifications/notify-queries.ts";
import type { TestApp, TestUser } from "./app.ts";
import { addDonateItem } from "./things.ts";

/** A new user without favorites, and a new item of 100 EUR, while nothing is discounted and no job waits. */
export async function beginAnew({ createUser, db }: Pick<TestApp, "createUser" | "db">) {
  await db("discounts").delete();
  await db("discount_runs").delete();
  await db.raw("delete from graphile_worker._private_jobs");
  const { id: userId, name } = await createUser();
  const item = `item of ${name}`;
  await addDonateItem(db, item);
  return { userId, item };
}

/** Tells everybody of every discount that runs, as the jobs do. Resolves to the number of new notifications. */
export async function notifyAll(db: Knex): Promise<number> {
  let notifications = 0;
  for (const { id } of await listUnnotified(db)) notifications += await notifyOfDiscount(db, id);
  return notifications;
}

/** The jobs that send notifications, by these senders. */
export function senderTasks(db: Knex, senders: Readonly<Record<string, Sender>>): Tasks {
  const transports = Object.entries(senders).map(([channel, send]) => [
    channel,
    notificationTransport(db, channel, send),
  ]);
  return deliveryTasks({ db, transports: Object.fromEntries(transports) });
}

/** A user's channels; none by default. */
export interface Channels {
  email?: "off" | "each" | "daily";
  /** Browsers that are subscribed, by the hosts of their push services. */
  push?: string[];
  digestHour?: number;
  timeZone?: string;
  /** null: never confirmed. */
  address?: string | null;
}

/** A user with these channels. */
export async function addReader(
  site: Pick<TestApp, "createUser" | "db">,
  channels: Channels = {},
): Promise<TestUser> {
  const user = await site.createUser();
  const { email = "off", push = [], digestHour = 18, timeZone = null } = channels;
  const confirmed_email = channels.address === undefined ? `${user.name}@example.test` : channels.address;
  await site.db("users").where({ id: user.id }).update({ confirmed_email, time_zone: timeZone });
  await site.db("notification_settings").insert({
    user_id: user.id,
    email,
    digest_hour: digestHour,
    push: push.length > 0,
  });
  for (const [index, host] of push.entries()) {
    const endpoint = `https://${host}/${user.id}/${index}`;
    await site.db("push_subscriptions").insert({ user_id: user.id, endpoint, p256dh: "key", auth: "secret" });
  }
  return user;
}

import type { TaskName } from "../db/jobs.ts";
import type { Channel, NotifyingChannel, SendingChannel } from "./channels/channel.ts";
import { digest, email } from "./channels/email.ts";
import { feed } from "./channels/feed.ts";
import { push } from "./channels/push.ts";
import { webhook } from "./channels/webhook.ts";

/** Every channel, in the order of the settings page. */
export const CHANNELS: readonly Channel[] = [email, digest, push, feed, webhook];

export const SENDING: readonly SendingChannel[] = CHANNELS.filter((channel) => isSending(channel));

const NOTIFYING: readonly NotifyingChannel[] = SENDING.filter((channel) => isNotifying(channel));

function isSending(channel: Channel): channel is SendingChannel {
  return channel.delivery !== undefined;
}

function isNotifying(channel: SendingChannel): channel is NotifyingChannel {
  return channel.delivery.sends !== "event";
}

/** Whether it is the daily mail, with all waiting notifications of a user. */
export function isDigest(channel: string): boolean {
  return channel === digest.name;
}

/** Whether it is sent by mail, which needs a confirmed address. */
export function isMailed(channel: string): boolean {
  return SENDING.some(({ name, delivery }) => name === channel && delivery.byMail);
}

/** The name of a channel's jobs. Do not rename them, because some may be queued while a site is upgraded. */
export function taskOf(channel: string): TaskName {
  return isDigest(channel) ? "deliver_digest" : `deliver_by_${channel}`;
}

/** SQL: the key of the job of a row `delivery`, as delivery-jobs.ts makes it. */
export const JOB_KEY = `case delivery.channel when 'digest' then 'digest:' || delivery.user_id
  else 'delivery:' || delivery.id end`;

/**
 * SQL: whether `users`, the user of a row `delivery`, still wants it, according to `setting`, whose columns may all be
 * null.
 */
export const WANTED = `users.disabled_at is null and coalesce(case delivery.channel ${NOTIFYING.map(
  ({ name, delivery }) => `when ${quoted(name)} then ${delivery.wanted}`,
).join(" ")} end, false)`;

/**
 * SQL: channel and browser of each delivery of a row `notification` of a discount, according to `setting` and `users`.
 */
export const WAYS = renderWays(NOTIFYING);

/** The same for an alert, which is sent at once or not at all. */
export const ALERT_WAYS = renderWays(NOTIFYING.filter(({ name }) => !isDigest(name)));

function renderWays(channels: readonly NotifyingChannel[]): string {
  const ways = channels.map(({ name, delivery: { asked, byMail, toBrowsers } }) => {
    const conditions = [
      asked,
      "users.disabled_at is null",
      ...(byMail ? ["users.confirmed_email is not null"] : []),
      ...(toBrowsers ? ["browser.user_id = notification.user_id"] : []),
    ];
    return `select ${quoted(name)} as channel, ${toBrowsers ? "browser.id" : "cast(null as bigint)"} as subscription_id
      ${toBrowsers ? "from push_subscriptions browser" : ""} where ${conditions.join(" and ")}`;
  });
  return ways.join(" union all ");
}

function quoted(name: string): string {
  return `'${name}'`;
}

import { promises as dns } from "node:dns";
import { Agent } from "node:https";
import type webpush from "web-push";
import type { Db } from "../../db/connect.ts";
import { shownTitle } from "../../records/shown-title.ts";
import { storedPicture } from "../../records/stored-picture.ts";
import { type EgressPolicy, guardedLookup } from "../../web/egress/policy.ts";
import { type Format, formatFor } from "../../web/request/format.ts";
import { type Language, languageFor } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { paths } from "../../words/urls.ts";
import { FRESH_S } from "../alerts/alert.ts";
import { alertWords } from "../alerts/alert-words.ts";
import type { AlertNotification, DiscountNotification, DueDelivery, Sender } from "../channels/channel.ts";
import { type Answer, postTo } from "../exchange.ts";
import { BusyError, RecipientGoneError, RefusedForGoodError, secondsToWait } from "../retries.ts";
import { pushEndpoint } from "./api.ts";
import { loadWebPush, noteSent, removeDeadSubscription, type VapidKeys, vapidKeys } from "./queries.ts";

interface PushSenderOptions {
  readonly db: Db;
  readonly site: { readonly baseUrl: string };
  /** Allowed hosts: `host`, `host:port` or `*.domain`. */
  readonly pushServices: readonly string[];
  /** The networks where those hosts may be. */
  readonly egress: EgressPolicy;
  /** For tests with their own certificate. */
  readonly agent?: Agent;
  readonly timeoutMs?: number;
}

/** Timeout from the DNS look-up to the end of the response. */
const TIMEOUT_MS = 15_000;

/** Maximum length of an error's text, which operators see. */
const ANSWER_CHARACTERS = 300;

/** Push services keep messages for four weeks at most. */
const LONGEST_TTL_S = 28 * 86_400;

/**
 * Statuses worth a retry: too slow, too early, too many (Edge's service sends 406 then). A 401 or 403 is about the
 * site's clock or its key. The operator can set the clock, and the browser replaces the key at its next visit.
 * Source:
 * https://learn.microsoft.com/windows/apps/develop/notifications/push-notifications/push-request-response-headers
 */
const PASSING = new Set([401, 403, 406, 408, 425, 429]);

/** Apple's service sends 400 if the browser subscribed with another key than the one that signed the message. */
const WRONG_KEY = /VapidPkHashMismatch/i;

/**
 * Sends notifications by Web Push (RFC 8030, encrypted by RFC 8291, signed by RFC 8292). web-push composes the message.
 * The request is sent here, because the library limits neither its total duration nor the response's length.
 */
export function createPushSender(options: PushSenderOptions): Sender {
  const { db, pushServices, egress, timeoutMs = TIMEOUT_MS } = options;
  const agent = options.agent ?? new Agent({ keepAlive: true, maxSockets: 20 });
  let keys: VapidKeys | undefined;
  return async (due) => {
    const { subscription } = due;
    if (!subscription) throw new RecipientGoneError("The browser is subscribed no more.");
    if (pushEndpoint(subscription.endpoint, pushServices) !== subscription.endpoint) {
      throw new RefusedForGoodError("The subscription is not one of a push service that this site sends to.");
    }
    keys ??= await vapidKeys(db);
    const message = composeMessage(options.site, due, subscription, keys);
    const answer = await exchange(message, agent, egress, timeoutMs);
    // Another process may have created or restored other keys.
    if (answer.status >= 400) keys = undefined;
    await judgeAnswer(db, subscription, answer);
    // The message was sent: failing to store that is no reason to send it again.
    await noteSent(db, subscription.id).catch(() => undefined);
  };
}

type Message = ReturnType<typeof webpush.generateRequestDetails>;

/** @throws RefusedForGoodError if the browser's keys are invalid */
function composeMessage(
  site: PushSenderOptions["site"],
  due: DueDelivery,
  { endpoint, p256dh, auth }: NonNullable<DueDelivery["subscription"]>,
  keys: VapidKeys,
): Message {
  const payload = pushPayload(due);
  try {
    return loadWebPush().generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject: createContact(site.baseUrl), ...keys },
      TTL: secondsUntil(endOf(due.notification)),
      // A later message replaces one that was not fetched yet.
      topic: `notification-${due.notification.id}`,
      urgency: "alert" in due.notification ? "high" : "normal",
    });
  } catch (error) {
    throw new RefusedForGoodError("No message can be made for the browser's keys.", { cause: error });
  }
}

/** A contact for the push service's operators (RFC 8292, section 2.1): an https address or a mailbox. */
function createContact(baseUrl: string): string {
  const url = new URL(baseUrl);
  return url.protocol === "https:" ? url.origin : `mailto:postmaster@${url.hostname}`;
}

/** When a message expires; null if unknown. */
function endOf(notification: DueDelivery["notification"]): Date | null {
  if (!("alert" in notification)) return notification.endsAt;
  return new Date(notification.alert.at.getTime() + FRESH_S * 1000);
}

/** The message's time to live, until it expires. */
function secondsUntil(end: Date | null): number {
  if (end === null) return LONGEST_TTL_S;
  const seconds = Math.floor((end.getTime() - Date.now()) / 1000);
  return Math.min(Math.max(seconds, 0), LONGEST_TTL_S);
}

/** @throws Error naming the push service; worth a retry */
async function exchange(
  { endpoint, headers, body }: Message,
  agent: Agent,
  egress: EgressPolicy,
  ms: number,
): Promise<Answer> {
  const url = new URL(endpoint);
  const signal = AbortSignal.timeout(ms);
  try {
    const lookup = guardedLookup(url, egress, (host) => dns.lookup(host, { all: true }));
    return await postTo(url, { headers, body, agent, signal, lookup });
  } catch (error) {
    const reason = signal.aborted
      ? `did not answer within ${ms / 1000} s`
      : `broke off: ${(error as Error).message}`;
    throw new Error(`The push service ${url.host} ${reason}`, { cause: error });
  }
}

/** https://www.rfc-editor.org/rfc/rfc8030#section-7.3: 404, and 410 of some services, end a subscription. */
async function judgeAnswer(
  db: Db,
  { id, endpoint }: { id: number; endpoint: string },
  { status, headers, text }: Answer,
): Promise<void> {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    await removeDeadSubscription(db, id, endpoint);
    throw new RecipientGoneError(`The browser is subscribed no more (${status}).`);
  }
  const retryAfter = headers["retry-after"];
  const wait = retryAfter === undefined ? "" : `, to try again after ${retryAfter}`;
  const said = text.trim() === "" ? "" : `: ${text.trim().slice(0, ANSWER_CHARACTERS)}`;
  const message = `The push service ${new URL(endpoint).host} answered ${status}${wait}${said}`;
  const waitS = status < 400 ? undefined : secondsToWait(retryAfter);
  const isPassing = status >= 500 || PASSING.has(status) || waitS !== undefined || WRONG_KEY.test(text);
  if (!isPassing) throw new RefusedForGoodError(message);
  throw waitS === undefined ? new Error(message) : new BusyError(message, waitS);
}

/**
 * Push services take messages of 4096 bytes, 103 of them for the encryption (RFC 8291, section 4). An item's path can take
 * 2400.
 */
const NAME_BYTES = 400;
const BODY_BYTES = 800;

/**
 * The message for public/service-worker.js, as JSON in the user's language. Every message about the notification has
 * the same `tag`. Its `url` marks it as read and redirects to `item`, the page of the item or server. Both `icon` and
 * `image` are the item's picture, small and large.
 */
export function pushPayload({ user, notification }: DueDelivery): string {
  const language = languageFor(user.language);
  const { title, body, ...rest } =
    "alert" in notification
      ? alertParts(notification, language)
      : discountParts(notification, language, user.timeZone);
  return JSON.stringify({
    title: cut(title, NAME_BYTES),
    body: cut(body, BODY_BYTES),
    lang: language,
    tag: `notification-${notification.id}`,
    url: paths.notification(notification.id),
    ...rest,
  });
}

function discountParts(notification: DiscountNotification, language: Language, timeZone: string | null) {
  const { itemName: name, itemNames: names } = notification;
  return {
    title: localName({ name, names }, language).name,
    body: describe(notification, language, timeZone),
    item: paths.donateItem(notification.itemKey),
    ...picturesOf(notification.picture),
  };
}

function alertParts({ alert }: AlertNotification, language: Language) {
  const { title, figures = "" } = alertWords(alert, translate(language), language);
  return { title, body: figures, item: paths.server(alert.serverId) };
}

/** Only pictures in the site's store: the service worker loads nothing from elsewhere. */
function picturesOf(column: string | null) {
  const stored = storedPicture(column);
  if (!stored) return {};
  return { icon: paths.picture(stored.name, "128.webp"), image: paths.picture(stored.name, "640.webp") };
}

/** Lines: `66.70 EUR instead of 100.00 EUR`, any low, the end, and the discount's title. */
function describe(notification: DiscountNotification, language: Language, timeZone: string | null): string {
  const text = translate(language);
  const format = formatFor(language, timeZone);
  const price = format.money(notification.newPrice, notification.currency);
  const before =
    notification.oldPrice === null ? null : format.money(notification.oldPrice, notification.currency);
  const title = shownTitle(notification, language);
  return [
    before === null ? text("push.price", { price }) : text("push.price_instead", { price, before }),
    ...(notification.low === null ? [] : [text(`donate.lows.at_${notification.low}`)]),
    ...(notification.isRegular ? [] : [untilText(notification.endsAt, text, format)]),
    ...(title === undefined ? [] : [title.text]),
  ].join("\n");
}

function untilText(endsAt: Date | null, text: Translate, format: Format): string {
  return endsAt === null ? text("push.no_end") : text("push.until", { time: format.time(endsAt) });
}

/** Cuts a text to this many bytes of JSON, between graphemes. */
function cut(text: string, bytes: number): string {
  if (countBytes(text) <= bytes) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (countBytes(`${kept}${segment}…`) > bytes) break;
    kept += segment;
  }
  return `${kept}…`;
}

function countBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

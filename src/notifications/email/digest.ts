import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { Tasks } from "../../db/jobs.ts";
import { MailRefusedError } from "../../mail/failures.ts";
import { mailPaths } from "../../mail/links.ts";
import type { Mailer } from "../../mail/mail.ts";
import { type MailSite, renderMail } from "../../mail/render.ts";
import { comparePrices, loweredPrice } from "../../prices/prices.ts";
import { absoluteUrl } from "../../urls.ts";
import { insist } from "../deliveries.ts";
import type { DueDelivery } from "../deliveries-queries.ts";
import { DELIVERY_ATTEMPTS } from "../delivery-jobs.ts";
import {
  addDigestJob,
  beginDigest,
  claimDigest,
  countFailures,
  type DigestReader,
  endDeliveries,
  findClaim,
  findUnsentDigest,
  holdDigestReader,
  lastDigestSentAt,
  leaveDigest,
  listWaitingOffers,
  markDigestSent,
  releaseDigest,
  type WaitingOffer,
} from "./digest-queries.ts";
import { localDay, nextDigestAt } from "./digest-times.ts";
import { mailId, mailOffer, mailReader, unsubscribeHeaders } from "./sender.ts";

/** More than so many items fill a mail beyond what mail programs show; the rest are counted. */
const OFFERS_SHOWN = 30;

interface DigestContext {
  readonly db: Knex;
  readonly mailer: Mailer;
  readonly site: MailSite;
  readonly log: Logger;
  /** The clock that decides which day it is, for tests. */
  readonly now?: () => Date;
}

/** A delivery in a daily mail, with the price as it is now. */
interface DigestLine {
  readonly deliveryId: number;
  readonly attempts: number;
  readonly notification: Omit<DueDelivery["notification"], "id">;
}

/** What a job has to do: to send a mail, or to come again at a later time. */
type Step =
  | {
      readonly kind: "send";
      readonly digestId: number;
      readonly reader: DigestReader;
      readonly lines: DigestLine[];
    }
  | { readonly kind: "wait"; readonly until: Date };

const payloadSchema = z.object({ userId: z.number() });

/**
 * The job of a user's daily mail: everything that waits for it goes out in one mail, at the user's hour or, where that
 * was missed, later on that day; never two on one day of the user's, and never two at a time. What is in a mail is
 * decided once: an attempt that is repeated sends the same discounts under the same Message-ID, without those that are
 * over by then or put off.
 */
export function digestTasks(context: DigestContext): Tasks {
  return {
    deliver_digest: async (payload, { signal }) => {
      await deliverDigest(context, payloadSchema.parse(payload).userId, signal);
    },
  };
}

async function deliverDigest(context: DigestContext, userId: number, signal: AbortSignal): Promise<void> {
  const { db } = context;
  const now = context.now?.() ?? new Date();
  const step = await db.transaction(async (transaction) => {
    const decided = await nextStep(transaction, userId, now);
    if (decided?.kind === "wait") await addDigestJob(transaction, userId, decided.until);
    return decided;
  });
  if (step?.kind !== "send") return;
  try {
    await sendDigest(context, step);
  } catch (error) {
    return noteFailure(context, step, error as Error, now);
  }
  await insist(signal, () =>
    db.transaction(async (transaction) => {
      await markDigestSent(transaction, step.digestId, idsOf(step.lines), now);
      await addNextJob(transaction, step.reader, now);
    }),
  );
}

/** Decides what to do and begins the day's mail where it is time for it; undefined: nothing waits. */
async function nextStep(transaction: Db, userId: number, now: Date): Promise<Step | undefined> {
  const reader = await holdDigestReader(transaction, userId);
  if (!reader) return undefined;
  const claimedUntil = await findClaim(transaction, userId);
  if (claimedUntil) return { kind: "wait", until: claimedUntil };
  const { begun, lines, later } = await gather(transaction, reader);
  const next = { kind: "wait", until: nextDigestAt(reader.hour, reader.timeZone, now) } as const;
  // Not for longer than to the next hour: what comes meanwhile goes with the job that waits.
  if (lines.length === 0) return later && (later < next.until ? { kind: "wait", until: later } : next);

  const today = localDay(now, reader.timeZone);
  const lastSentAt = await lastDigestSentAt(transaction, userId);
  if (lastSentAt && localDay(lastSentAt, reader.timeZone) === today) return next;
  const isEarly = begun === null && localDay(next.until, reader.timeZone) === today;
  if (isEarly) return next;
  const digestId = begun ?? (await beginDigest(transaction, userId, today, idsOf(lines)));
  if (digestId === undefined) return next;
  await claimDigest(transaction, digestId);
  return { kind: "send", digestId, reader, lines };
}

interface Gathered {
  readonly lines: DigestLine[];
  /** When the first of those begins that have not begun; undefined: there are none. */
  readonly later: Date | undefined;
}

/** What to send: the rest of the oldest mail that was begun, or where there is none, all that waits for one. */
async function gather(
  transaction: Db,
  reader: DigestReader,
): Promise<Gathered & { readonly begun: number | null }> {
  const begun = (await findUnsentDigest(transaction, reader.id)) ?? null;
  const found = await dropLost(transaction, reader, begun);
  if (begun !== null && found.lines.length === 0) return gather(transaction, reader);
  return { begun, ...found };
}

/** What is worth sending of a digest; what never will be is dropped, what has not begun yet is left for another one. */
async function dropLost(transaction: Db, reader: DigestReader, digestId: number | null): Promise<Gathered> {
  const lines: DigestLine[] = [];
  const early: WaitingOffer[] = [];
  const lost = new Map<string, number[]>();
  for (const waiting of await listWaitingOffers(transaction, reader.id, digestId)) {
    const judged = judge(waiting, reader);
    if (typeof judged === "string") lost.set(judged, [...(lost.get(judged) ?? []), waiting.deliveryId]);
    else if (waiting.started) lines.push(judged);
    else early.push(waiting);
  }
  for (const [reason, ids] of lost) await endDeliveries(transaction, ids, "dropped", reason);
  if (digestId !== null) await leaveDigest(transaction, idsOf(early));
  const starts = early.map(({ startsAt }) => startsAt);
  return { lines, later: starts.sort((a, b) => a.getTime() - b.getTime())[0] };
}

/** What the mail says of a discount, or why it says nothing. */
function judge(
  { deliveryId, attempts, offer, over }: WaitingOffer,
  reader: DigestReader,
): DigestLine | string {
  if (!reader.wanted) return "the user switched this channel off";
  if (reader.email === null) return "the user has no confirmed address any more";
  if (offer === null) return "the discount was withdrawn";
  if (over) return "the discount is over";
  const newPrice = loweredPrice({ price: offer.oldPrice, currency: offer.currency }, offer);
  if (newPrice === null) return "the discount does not lower the price any more";
  const { percent: _percent, price: _price, ...shown } = offer;
  return { deliveryId, attempts, notification: { ...shown, newPrice } };
}

async function sendDigest(
  { mailer, site }: DigestContext,
  { digestId, reader, lines }: Extract<Step, { kind: "send" }>,
): Promise<void> {
  const person = mailReader(site, reader);
  const offers = lowestOfEachItem(lines.map(({ notification }) => notification)).map((notification) =>
    mailOffer(site, reader.language, notification),
  );
  const mail = await renderMail(site, reader.language, "digest", {
    ...person,
    offers: offers.slice(0, OFFERS_SHOWN),
    more: Math.max(0, offers.length - OFFERS_SHOWN),
    inboxLink: absoluteUrl(site.baseUrl, mailPaths(reader.language).notifications()),
  });
  const headers = unsubscribeHeaders(person.unsubscribeLink);
  const messageId = mailId(site, "digest", digestId);
  await mailer.send({ to: reader.email ?? "", messageId, headers, ...mail });
}

/** Of discounts of one item that run at the same time, the one that decides what the item costs. */
function lowestOfEachItem(notifications: DigestLine["notification"][]): DigestLine["notification"][] {
  const lowest = new Map<string, DigestLine["notification"]>();
  for (const notification of notifications) {
    const other = lowest.get(notification.itemKey);
    if (!other || comparePrices(notification.newPrice, other.newPrice) < 0)
      lowest.set(notification.itemKey, notification);
  }
  return [...lowest.values()];
}

/**
 * The job comes again by itself, under its own key: a job that the queue repeats would lose that key to a notification
 * that comes meanwhile, and with it its attempts.
 */
async function noteFailure(
  { db, log }: DigestContext,
  { digestId, reader, lines }: Extract<Step, { kind: "send" }>,
  error: Error,
  now: Date,
): Promise<void> {
  const made = 1 + Math.max(...lines.map(({ attempts }) => attempts));
  log.warn({ err: error, digest: digestId, attempt: made }, "a daily mail was not sent");
  await db.transaction(async (transaction) => {
    await releaseDigest(transaction, digestId);
    if (error instanceof MailRefusedError || made >= DELIVERY_ATTEMPTS) {
      await endDeliveries(transaction, idsOf(lines), "dead", error.message);
      return addNextJob(transaction, reader, now);
    }
    await countFailures(transaction, idsOf(lines), error.message);
    await addDigestJob(transaction, reader.id, new Date(now.getTime() + pauseAfter(made)));
  });
}

/** Milliseconds until the next attempt, as the queue itself counts them: up to six hours. */
function pauseAfter(attempts: number): number {
  return Math.exp(Math.min(10, attempts)) * 1000;
}

/** For what came while the mail was on its way. */
async function addNextJob(transaction: Db, { id, hour, timeZone }: DigestReader, now: Date): Promise<void> {
  const left = await listWaitingOffers(transaction, id, null);
  if (left.length === 0) return;
  await addDigestJob(transaction, id, nextDigestAt(hour, timeZone, now));
}

function idsOf(lines: readonly { readonly deliveryId: number }[]): number[] {
  return lines.map(({ deliveryId }) => deliveryId);
}

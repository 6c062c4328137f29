import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { Tasks } from "../../db/jobs.ts";
import type { DigestSender, DiscountNotification, DueDelivery } from "../channels/channel.ts";
import { describeFailure, listWaitingForDigest, noteFailure, settle } from "../deliveries-queries.ts";
import { maySend, type WaitingDelivery } from "../may-send.ts";
import { retryUntilStored } from "../retries.ts";
import {
  addDigestJob,
  beginDigest,
  claimDigest,
  type DigestReader,
  findClaim,
  findUnsentDigest,
  holdDigestReader,
  lastDigestSentAt,
  leaveDigest,
  markDigestSent,
  releaseDigest,
} from "./digest-queries.ts";
import { localDay, nextDigestAt } from "./digest-times.ts";

interface DigestContext {
  readonly db: Knex;
  readonly send: DigestSender;
  readonly log: Logger;
  /** For tests. */
  readonly now?: () => Date;
}

interface DigestLine extends DueDelivery {
  readonly notification: DiscountNotification;
  readonly attempts: number;
}

/** What a job does: send a mail, or run again later. */
type Step = SendStep | { readonly kind: "wait"; readonly until: Date };

interface SendStep {
  readonly kind: "send";
  readonly digestId: number;
  readonly reader: DigestReader;
  readonly lines: DigestLine[];
}

const payloadSchema = z.object({ userId: z.number() });

/**
 * The job of a user's daily mail: everything that waits goes out in one mail, at the user's hour or, if that was
 * missed, later that day. There is at most one a day, and one at a time. A mail's content is decided once: a retry
 * sends the same discounts under the same Message-ID, without those that have ended or were postponed by then.
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
    return giveBack(context, step, error, now);
  }
  await retryUntilStored(signal, () =>
    db.transaction(async (transaction) => {
      await markDigestSent(transaction, step.digestId, idsOf(step.lines), now);
      await addNextJob(transaction, step.reader, now);
    }),
  );
}

/** Begins the day's mail if it is time for it; undefined if nothing waits. */
async function nextStep(transaction: Db, userId: number, now: Date): Promise<Step | undefined> {
  const reader = await holdDigestReader(transaction, userId);
  if (!reader) return undefined;
  const claimedUntil = await findClaim(transaction, userId);
  if (claimedUntil) return { kind: "wait", until: claimedUntil };
  const { begun, lines, later } = await gather(transaction, reader);
  const next = { kind: "wait", until: nextDigestAt(reader.hour, reader.timeZone, now) } as const;
  // At the next hour at the latest, because new notifications merge with the waiting job.
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
  /** The earliest start of discounts that have not started, or undefined. */
  readonly later: Date | undefined;
}

/** What to send: the rest of the oldest mail that has begun, otherwise all waiting notifications. */
async function gather(
  transaction: Db,
  reader: DigestReader,
): Promise<Gathered & { readonly begun: number | null }> {
  const begun = (await findUnsentDigest(transaction, reader.id)) ?? null;
  const found = await dropLost(transaction, reader, begun);
  if (begun !== null && found.lines.length === 0) return gather(transaction, reader);
  return { begun, ...found };
}

/** What may be sent. Drops what can never be sent, and leaves discounts that have not started for a later mail. */
async function dropLost(transaction: Db, reader: DigestReader, digestId: number | null): Promise<Gathered> {
  const lines: DigestLine[] = [];
  const early: WaitingDelivery[] = [];
  const lost = new Map<string, number[]>();
  for (const waiting of await listWaitingForDigest(transaction, reader.id, digestId)) {
    const due = maySend(waiting);
    if (typeof due === "string") lost.set(due, [...(lost.get(due) ?? []), waiting.id]);
    else if ("alert" in due.notification) throw new Error("an alert waits for a daily mail");
    else if (waiting.started)
      lines.push({ ...due, notification: due.notification, attempts: waiting.attempts });
    else early.push(waiting);
  }
  for (const [reason, ids] of lost) await settle(transaction, ids, "dropped", { reason });
  if (digestId !== null) await leaveDigest(transaction, idsOf(early));
  const starts = early.map(({ startsAt }) => startsAt);
  return { lines, later: starts.sort((a, b) => a.getTime() - b.getTime())[0] };
}

async function sendDigest({ send }: DigestContext, { digestId, lines }: SendStep): Promise<void> {
  const [first] = lines;
  if (first) {
    await send({ id: digestId, user: first.user, notifications: lines.map((line) => line.notification) });
  }
}

/** Stores a failed attempt and adds the retry. */
async function giveBack(
  { db, log }: DigestContext,
  { digestId, reader, lines }: SendStep,
  error: unknown,
  now: Date,
): Promise<void> {
  const attempts = Math.max(...lines.map((line) => line.attempts));
  log.warn(
    { digest: digestId, attempt: attempts + 1, reason: describeFailure(error) },
    "a daily mail was not sent",
  );
  await db.transaction(async (transaction) => {
    await releaseDigest(transaction, digestId);
    const tried = { attempts, createdAt: now };
    const { verdict } = await noteFailure(transaction, idsOf(lines), error, tried);
    if (verdict.state !== "waiting") return addNextJob(transaction, reader, now);
    await addDigestJob(transaction, reader.id, new Date(now.getTime() + verdict.retryS * 1000));
  });
}

/** Adds the job for the notifications that no mail has begun to send. */
async function addNextJob(transaction: Db, { id, hour, timeZone }: DigestReader, now: Date): Promise<void> {
  const left = await listWaitingForDigest(transaction, id, null);
  if (left.length === 0) return;
  await addDigestJob(transaction, id, nextDigestAt(hour, timeZone, now));
}

/** Brings a waiting mail forward after the user's settings changed. One that is too early then waits for its hour. */
export async function replanDigest(db: Knex, userId: number): Promise<void> {
  await db.transaction(async (transaction) => {
    const reader = await holdDigestReader(transaction, userId);
    if (reader) await addNextJob(transaction, reader, new Date());
  });
}

function idsOf(lines: readonly { readonly id: number }[]): number[] {
  return lines.map(({ id }) => id);
}

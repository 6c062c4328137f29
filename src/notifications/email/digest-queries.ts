import type { Db } from "../../db/connect.ts";
import { addJobs } from "../../db/jobs.ts";
import { countRows, selectRow } from "../../db/rows.ts";
import { settle, waiting } from "../deliveries-queries.ts";
import { digestJob } from "../delivery-jobs.ts";

/** How long an attempt holds a daily mail: sending may take 60 s, and composing a little more. */
const CLAIM = "interval '90 seconds'";

export interface DigestReader {
  readonly id: number;
  readonly timeZone: string | null;
  /** Hour of the day, 0 to 23, in the user's zone; null if never chosen. */
  readonly hour: number | null;
}

/**
 * Locks the user of a daily mail, so that no other transaction decides what to send to them; undefined if the user is
 * gone.
 */
export async function holdDigestReader(transaction: Db, userId: number): Promise<DigestReader | undefined> {
  return transaction("users")
    .leftJoin("notification_settings as setting", "setting.user_id", "users.id")
    .where("users.id", userId)
    .forNoKeyUpdate("users")
    .first("users.id", "users.time_zone as timeZone", "setting.digest_hour as hour");
}

/** When an attempt releases a user's daily mail; undefined if none is being sent. */
export async function findClaim(db: Db, userId: number): Promise<Date | undefined> {
  const row = await selectRow<{ until: Date | null }>(
    db,
    `select max(claimed_at) + ${CLAIM} as until from digests
      where user_id = ? and sent_at is null and claimed_at > clock_timestamp() - ${CLAIM}`,
    [userId],
  );
  return row.until ?? undefined;
}

export async function claimDigest(transaction: Db, digestId: number): Promise<void> {
  await transaction("digests")
    .where({ id: digestId })
    .update({ claimed_at: transaction.raw("clock_timestamp()") });
}

export async function releaseDigest(transaction: Db, digestId: number): Promise<void> {
  await transaction("digests").where({ id: digestId }).update({ claimed_at: null });
}

/** The id of a user's oldest daily mail that has begun, was not sent, and still has waiting deliveries. */
export async function findUnsentDigest(db: Db, userId: number): Promise<number | undefined> {
  const digest = await db("digests as digest")
    .where({ user_id: userId, sent_at: null })
    .whereExists((query) =>
      query
        .select(db.raw("1"))
        .from("deliveries as delivery")
        .whereRaw("delivery.digest_id = digest.id and delivery.state = 'waiting'"),
    )
    .orderBy("id")
    .first("id");
  return digest?.id;
}

export async function lastDigestSentAt(db: Db, userId: number): Promise<Date | null> {
  const last = await db("digests").where({ user_id: userId }).max("sent_at as at").first();
  return last?.at ?? null;
}

/** Begins a day's mail with these deliveries; undefined if that day has had one. */
export async function beginDigest(
  transaction: Db,
  userId: number,
  day: string,
  deliveryIds: number[],
): Promise<number | undefined> {
  const [digest] = await transaction("digests")
    .insert({ user_id: userId, day })
    .onConflict(["user_id", "day"])
    .ignore()
    .returning("id");
  if (!digest) return undefined;
  await waiting(transaction, deliveryIds).update({ digest_id: digest.id });
  return digest.id;
}

/** Removes waiting deliveries from their daily mail, so that a later one sends them. */
export async function leaveDigest(transaction: Db, deliveryIds: number[]): Promise<void> {
  await waiting(transaction, deliveryIds).update({ digest_id: null });
}

export async function markDigestSent(
  transaction: Db,
  digestId: number,
  deliveryIds: number[],
  at: Date,
): Promise<void> {
  await transaction("digests").where({ id: digestId }).update({ sent_at: at });
  await settle(transaction, deliveryIds, "sent", { tried: true });
}

/**
 * Adds the job of a user's daily mail. Merges with a waiting one, due at the earlier of both times, so that new
 * notifications do not delay a retry.
 */
export async function addDigestJob(transaction: Db, userId: number, at: Date): Promise<void> {
  const job = digestJob(userId, at);
  await addJobs(transaction, [job], { keepRunAt: true });
  await transaction.raw(
    `select from graphile_worker.reschedule_jobs(
       array(select id from graphile_worker.jobs where key = ? and run_at > ?), run_at => ?)`,
    [job.key, at, at],
  );
}

/** Removes daily mails that are a month old and have nothing waiting. Resolves to their number. */
export async function removeOldDigests(db: Db): Promise<number> {
  return countRows(
    db,
    `delete from digests digest
      where created_at < now() - interval '30 days'
        and not exists (select from deliveries where digest_id = digest.id and state = 'waiting')`,
  );
}

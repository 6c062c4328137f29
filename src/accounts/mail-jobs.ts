import { createHash } from "node:crypto";
import type { JobSpec } from "../db/jobs.ts";

/** A user waits for these mails, so they go before notifications, and are retried for some three hours only. */
const AT_ONCE = { priority: -10, maxAttempts: 10 } as const;

/**
 * Mails a link to confirm the address that the user has when the job runs. Waiting requests are merged into one mail.
 * @param passwordSetAt as in `Credentials`: nothing is sent after a change of password
 */
export function confirmationJob(userId: number, passwordSetAt: string): JobSpec {
  const payload = { userId, passwordSetAt };
  return { ...AT_ONCE, task: "send_confirmation", payload, key: `confirmation:${userId}` };
}

/** Mails links to new passwords for the accounts of an address. */
export function passwordResetJob(email: string): JobSpec {
  const key = createHash("sha256").update(email.toLowerCase()).digest("base64url");
  return { ...AT_ONCE, task: "send_password_reset", payload: { email }, key: `password-reset:${key}` };
}

/**
 * Notifies an address that it no longer belongs to its account. The task keeps its old name, because jobs may be
 * queued.
 */
export function replacementJob(userId: number, email: string): JobSpec {
  return { ...AT_ONCE, task: "tell_replaced_address", payload: { userId, email } };
}

import { createHash } from "node:crypto";
import type { JobSpec } from "../db/jobs.ts";

/** Somebody waits for these mails: before notifications of discounts, and not for longer than some three hours. */
const AT_ONCE = { priority: -10, maxAttempts: 10 } as const;

/**
 * A link to confirm the address that the user has when it is sent. Asked for again before that, it is one mail.
 * `passwordSetAt`: under which password it is asked for, as in `Credentials`; after another one nothing is sent.
 */
export function confirmationJob(userId: number, passwordSetAt: string): JobSpec {
  const payload = { userId, passwordSetAt };
  return { ...AT_ONCE, task: "send_confirmation", payload, key: `confirmation:${userId}` };
}

/** Links to new passwords for the accounts of an address, where there are any. */
export function passwordResetJob(email: string): JobSpec {
  const key = createHash("sha256").update(email.toLowerCase()).digest("base64url");
  return { ...AT_ONCE, task: "send_password_reset", payload: { email }, key: `password-reset:${key}` };
}

/** Tells an address that it is no longer its account's. */
export function replacementJob(userId: number, email: string): JobSpec {
  return { ...AT_ONCE, task: "tell_replaced_address", payload: { userId, email } };
}

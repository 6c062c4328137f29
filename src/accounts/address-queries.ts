import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { addJobs } from "../db/jobs.ts";
import { SessionEndedError } from "../db/sessions.ts";
import { confirmationJob, replacementJob } from "./mail-jobs.ts";
import { type CheckedPassword, withPassword } from "./queries.ts";
import { holdToken, issueToken, type MailedToken, useUpTokens } from "./token-queries.ts";

/** The address typed last, and the confirmed one; they differ until the first is confirmed. */
interface Addresses {
  email: string | null;
  confirmedEmail: string | null;
}

export type AddressChange = "unchanged" | "removed" | "waiting" | "confirmed";

export interface MailRecipient {
  userId: number;
  name: string;
  email: string;
  language: string | null;
}

/**
 * Changes a user's address; undefined removes it and the confirmed one. Until a new address is confirmed the old one
 * stays in use. `sendsMail` is false if the site sends no mail.
 * @throws SessionEndedError if the checked password has been changed meanwhile
 */
export async function changeEmail(
  db: Knex,
  userId: number,
  email: string | undefined,
  { sendsMail, passwordSetAt }: { sendsMail: boolean } & CheckedPassword,
): Promise<AddressChange> {
  return db.transaction(async (transaction) => {
    const before = await holdAddresses(transaction, userId);
    if (!before || (passwordSetAt ?? before.passwordSetAt) !== before.passwordSetAt) {
      throw new SessionEndedError();
    }
    if (before.email === (email ?? null)) return "unchanged";
    const change = changeTo(email, before);
    await transaction("users")
      .where({ id: userId })
      .update({ email: email ?? null, ...(change === "removed" && { confirmed_email: null }) });
    if (!sendsMail) return change;
    if (change === "waiting") await addJobs(transaction, [confirmationJob(userId, before.passwordSetAt)]);
    if (change === "removed" && before.confirmedEmail !== null)
      await addJobs(transaction, [replacementJob(userId, before.confirmedEmail)]);
    return change;
  });
}

function changeTo(email: string | undefined, before: Addresses): AddressChange {
  if (email === undefined) return "removed";
  return email === before.confirmedEmail ? "confirmed" : "waiting";
}

/** Adds the job that mails a confirmation link, and locks the user's row. */
export async function requestConfirmation(transaction: Knex.Transaction, userId: number): Promise<void> {
  const held = await holdAddresses(transaction, userId);
  if (held) await addJobs(transaction, [confirmationJob(userId, held.passwordSetAt)]);
}

/**
 * Call it for a new password: nobody may confirm an address that was requested under the old one, because that opens
 * the account. The confirmed address replaces it. If there was no confirmed address, it stays and needs another mail.
 * @returns how many addresses were replaced: 0 or 1
 */
export async function dropUnconfirmed(transaction: Db, userId: number): Promise<number> {
  await useUpTokens(transaction, "confirm", userId);
  return transaction("users")
    .where({ id: userId })
    .whereNotNull("confirmed_email")
    .whereRaw("email is distinct from confirmed_email")
    .update({ email: transaction.ref("confirmed_email") });
}

async function holdAddresses(
  transaction: Knex.Transaction,
  userId: number,
): Promise<(Addresses & { passwordSetAt: string }) | undefined> {
  return transaction("users")
    .where({ id: userId })
    .forUpdate()
    .first(
      "email",
      "confirmed_email as confirmedEmail",
      transaction.raw('cast(password_changed_at as text) as "passwordSetAt"'),
    );
}

/** What a link to confirm an address can do. */
export type ConfirmationState = "waiting" | "confirmed" | "used" | "replaced" | "over";

/** `confirmed` if this address is already confirmed. */
export function confirmationState(token: MailedToken): ConfirmationState {
  const { sentTo, email, confirmedEmail, isUsed, isOver } = token;
  if (email !== sentTo) return "replaced";
  if (confirmedEmail === sentTo) return "confirmed";
  if (isUsed) return "used";
  return isOver ? "over" : "waiting";
}

/**
 * Confirms the address that a token was sent to, if the token still works. The address that it replaces gets a mail.
 * @returns the token with its owner; undefined if nothing was confirmed
 */
export async function confirmEmail(
  db: Knex,
  token: string,
  { sendsMail }: { sendsMail: boolean },
): Promise<MailedToken | undefined> {
  return db.transaction(async (transaction) => {
    const held = await holdToken(transaction, "confirm", token);
    if (!held || confirmationState(held) !== "waiting") return undefined;
    const { userId, sentTo, confirmedEmail } = held;
    await transaction("users").where({ id: userId }).update({ confirmed_email: sentTo });
    await useUpTokens(transaction, "confirm", userId);
    if (sendsMail && confirmedEmail !== null)
      await addJobs(transaction, [replacementJob(userId, confirmedEmail)]);
    return held;
  });
}

/** The address to confirm; undefined without one, or if the user is gone or has another password. */
export async function findUnconfirmed(
  db: Db,
  userId: number,
  asked: CheckedPassword = {},
): Promise<MailRecipient | undefined> {
  return withPassword(recipients(db), userId, asked)
    .whereNotNull("email")
    .whereRaw("email is distinct from confirmed_email")
    .first({ email: "email" });
}

/**
 * Creates a token for the address of `findUnconfirmed`. Locks the user's row, so that a change of password comes either
 * before, and there is no token, or after, and ends it.
 */
export async function issueConfirmation(
  db: Knex,
  userId: number,
  asked: CheckedPassword,
): Promise<(MailRecipient & { token: string }) | undefined> {
  return db.transaction(async (transaction) => {
    await holdAddresses(transaction, userId);
    const waiting = await findUnconfirmed(transaction, userId, asked);
    return waiting && { ...waiting, token: await issueToken(transaction, "confirm", waiting) };
  });
}

/** All users with this confirmed address, ignoring case. */
export async function listOwners(db: Db, email: string): Promise<MailRecipient[]> {
  return recipients(db)
    .select({ email: "confirmed_email" })
    .whereRaw("lower(confirmed_email) = lower(?)", [email])
    .orderBy("id");
}

export async function findFormerOwner(
  db: Db,
  userId: number,
): Promise<Omit<MailRecipient, "email"> | undefined> {
  return recipients(db).where({ id: userId }).first();
}

function recipients(db: Db) {
  return db("users").select({ userId: "id", name: "name", language: "language" });
}

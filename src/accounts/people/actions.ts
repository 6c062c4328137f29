import type { Knex } from "knex";
import { type Action, type Actor, type AuditedAction, recorded } from "../../db/audit-queries.ts";
import { addJobs } from "../../db/jobs.ts";
import { endSessionsOf, type Role } from "../../db/sessions.ts";
import { passwordResetJob } from "../mail-jobs.ts";
import { endAccess } from "../open-access.ts";
import { deleteUser, operators } from "../queries.ts";
import { issueToken } from "../token-queries.ts";

/** The operators' actions on accounts, on their page and by command, each with its line of the audit log. */

/** An account that an action has locked. */
interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  readonly confirmed_email: string | null;
  readonly disabled_at: Date | null;
}

/** The outcome of an action; only `done` changed anything. */
export interface Done extends Pick<Action, "before" | "after"> {
  /** `last operator`: nobody else could manage the site. */
  readonly outcome: "done" | "gone" | "last operator" | "unchanged";
  /** The secret part of a link to a new password. */
  readonly token?: string;
}

/** Changes an account's role, which takes effect with its next request. */
export function changeRole(db: Knex, by: Actor, userId: number, role: Role): Promise<Done> {
  return act(db, by, userId, "role.changed", async (transaction, person) => {
    if (person.role === role) return { outcome: "unchanged" };
    if (await isLastOperator(transaction, person)) return { outcome: "last operator" };
    await transaction("users").where({ id: userId }).update({ role });
    return { outcome: "done", before: { role: person.role }, after: { role } };
  });
}

/**
 * Closes an account to everyone: ends its sessions, private feed, browsers with push and webhooks, and refuses its API
 * keys until it is enabled. The caller then calls `KnownKeys.forgetUser`.
 */
export function disable(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "account.disabled", async (transaction, person) => {
    if (person.disabled_at !== null) return { outcome: "unchanged" };
    if (await isLastOperator(transaction, person)) return { outcome: "last operator" };
    await transaction("users").where({ id: userId }).update({ disabled_at: transaction.fn.now() });
    const sessions = await endSessionsOf(transaction, userId);
    const choice = { end_feed: "yes", end_browsers: "yes", end_webhooks: "yes" } as const;
    const ended = await endAccess(transaction, userId, choice);
    return { outcome: "done", after: { sessions, ...ended } };
  });
}

export function enable(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "account.enabled", async (transaction, { disabled_at }) => {
    if (disabled_at === null) return { outcome: "unchanged" };
    await transaction("users").where({ id: userId }).update({ disabled_at: null });
    return { outcome: "done", before: { disabled_at } };
  });
}

/** Logs an account out everywhere. */
export function endSessions(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "sessions.ended", async (transaction) => {
    const sessions = await endSessionsOf(transaction, userId);
    return sessions === 0 ? { outcome: "unchanged" } : { outcome: "done", after: { sessions } };
  });
}

/** Creates a password link for an operator to hand over; resolves to its token, this once. */
export function makePasswordLink(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "password.link", async (transaction, { confirmed_email: email }) => {
    const token = await issueToken(transaction, "reset", { userId, email });
    return { outcome: "done", token, after: { link: "shown" } };
  });
}

/** Mails such a link to the confirmed address; `unchanged` if the account has no confirmed address. */
export function mailPasswordLink(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "password.link", async (transaction, { confirmed_email }) => {
    if (confirmed_email === null) return { outcome: "unchanged" };
    await addJobs(transaction, [passwordResetJob(confirmed_email)]);
    return { outcome: "done", after: { link: "mailed" } };
  });
}

/** Removes an account with all of its data. */
export function deletePerson(db: Knex, by: Actor, userId: number): Promise<Done> {
  return act(db, by, userId, "account.deleted", async (transaction, person) => {
    if (await isLastOperator(transaction, person)) return { outcome: "last operator" };
    await deleteUser(transaction, userId);
    return { outcome: "done", before: { role: person.role } };
  });
}

/** Whether nobody else could manage the site. The operators stay locked, so that two cannot remove each other. */
export async function isLastOperator(
  transaction: Knex.Transaction,
  { id }: Pick<Person, "id">,
): Promise<boolean> {
  const ids: number[] = await operators(transaction).orderBy("id").forUpdate().pluck("id");
  return ids.length === 1 && ids[0] === id;
}

async function act(
  db: Knex,
  by: Actor,
  userId: number,
  action: AuditedAction,
  work: (transaction: Knex.Transaction, person: Person) => Promise<Done>,
): Promise<Done> {
  let subject = "";
  return recorded(
    db,
    by,
    async (transaction): Promise<Done> => {
      // Before the account itself, because all actions lock in this order.
      await operators(transaction).orderBy("id").forUpdate().pluck("id");
      const columns = ["id", "name", "role", "confirmed_email", "disabled_at"] as const;
      const person: Person | undefined = await transaction("users")
        .where({ id: userId })
        .forUpdate()
        .first(...columns);
      if (!person) return { outcome: "gone" };
      subject = `user/${person.name}`;
      return work(transaction, person);
    },
    ({ outcome, before, after }) => (outcome === "done" ? { action, subject, before, after } : undefined),
  );
}

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { cutText } from "../words/text/cut.ts";
import type { Db } from "./connect.ts";
import { deleteInBatches } from "./rows.ts";

/** The actions that the audit log records; docs/security-log.md describes them. */
export const AUDITED_ACTIONS = [
  "account.created",
  "account.disabled",
  "account.enabled",
  "account.deleted",
  "role.changed",
  "password.changed",
  "password.link",
  "sessions.ended",
  "discount.saved",
  "discount.ended",
  "picture.changed",
  "vocabulary.saved",
  "settings.changed",
  "demo.removed",
  "backup.downloaded",
  "key.granted",
  "key.ungranted",
  "delivery.retried",
  "delivery.discarded",
  "record.added",
  "record.changed",
  "record.hidden",
  "record.removed",
  "record.restored",
  "record.merged",
  "suggestion.accepted",
  "suggestion.declined",
  "records.imported",
  "records.undone",
  "source.fetched",
  "source.changed",
  "source.deleted",
] as const;

export type AuditedAction = (typeof AUDITED_ACTIONS)[number];

/** How long actions are kept. */
const KEPT = "1 year";
/** The maximum number of stored characters of a value, in JSON; longer ones are cut. */
const LONGEST = 2_000;

/** The author of an action, and the origin. */
export interface Actor {
  /** Null for a command. */
  readonly userId: number | null;
  readonly via: "site" | "api" | "command";
  readonly ip?: string | undefined;
  readonly requestId?: string | undefined;
}

/** The command line, whose user the site does not know. */
export const COMMAND: Actor = { userId: null, via: "command" };

type Fields = Readonly<Record<string, unknown>>;

export interface Action {
  readonly action: AuditedAction;
  /** The record or account that was changed: `items/weapon-24`, `user/Ann`. */
  readonly subject?: string;
  /** The subject before the action, if it existed; only fields that differ are stored. */
  readonly before?: Fields | undefined;
  readonly after?: Fields | undefined;
  readonly note?: string | undefined;
}

/** Records an action in its transaction. An action that changes nothing is not recorded. */
export async function recordAction(
  transaction: Db,
  { userId, via, ip, requestId }: Actor,
  { action, subject, note, ...states }: Action,
): Promise<void> {
  const { before, after } = changedFields(states);
  if (states.before && states.after && Object.keys({ ...before, ...after }).length === 0) return;
  await transaction("audit_log").insert({
    user_id: userId,
    user_name: userId === null ? null : transaction("users").where({ id: userId }).select("name"),
    via,
    ip: ip ?? null,
    request_id: requestId ?? null,
    action,
    subject: subject ?? null,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
    note: note ?? null,
  });
}

/** Names the user, and the note, of the latest revision of an entry in its history. */
export async function signRevision(
  transaction: Db,
  { userId }: Actor,
  { kind, id, note = null }: { kind: string; id: string; note?: string | undefined | null },
): Promise<void> {
  await transaction.raw(
    `update catalogue_revisions set author = (select name from users where id = :userId), note = :note
      where kind = :kind and entry_id = :id and revision = (select revision from :kind: where id = :id)`,
    { kind, id, userId, note },
  );
}

/** Runs work in a transaction, and records its result there. If the result is undefined, nothing is recorded. */
export async function recorded<Result>(
  db: Knex,
  by: Actor,
  work: (transaction: Knex.Transaction) => Promise<Result>,
  describe: (result: Result) => Action | undefined,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    const result = await work(transaction);
    const action = describe(result);
    if (action) await recordAction(transaction, by, action);
    return result;
  });
}

/** The fields that differ, with values cut to a length that a page can show. */
function changedFields({ before, after }: Pick<Action, "before" | "after">) {
  const differs = ([field, value]: [string, unknown], other: Fields | undefined) =>
    !isDeepStrictEqual(toJson(value), toJson(other?.[field]));
  const only = (state: Fields | undefined, other: Fields | undefined) =>
    state &&
    Object.fromEntries(
      Object.entries(state)
        .filter((entry) => differs(entry, other))
        .map(([field, value]) => [field, shortened(value)]),
    );
  return { before: only(before, after), after: only(after, before) };
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  if (text.length <= LONGEST) return value ?? null;
  const whole = typeof value === "string" ? value : text;
  return cutText(whole, LONGEST);
}

/** Removes actions that are older than a year; resolves to their number. */
export async function removeOldActions(db: Db): Promise<number> {
  return deleteInBatches(db, "audit_log", `at < now() - interval '${KEPT}'`);
}

import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { catalogueKinds, type ReportedKind } from "../../words/kinds/kinds.ts";
import type { Typed } from "./fields.ts";

/** How many suggestions of one user may wait. */
export const WAITING_AT_MOST = 20;
/** How many of all visitors without an account may wait. */
export const ANONYMOUS_AT_MOST = 1_000;
const LISTED_AT_MOST = 100;

/** What a user suggests about a record. */
export interface Suggestion {
  readonly id: number;
  readonly kind: ReportedKind;
  readonly entryId: string;
  /** The record's name when it was sent. */
  readonly entryName: string;
  /** null: the user has deleted their account, or had none. */
  readonly userName: string | null;
  readonly isAnonymous: boolean;
  /** What was changed, by the names of the form; empty: the note says it all. */
  readonly fields: Typed;
  readonly note: string | null;
  readonly createdAt: Date;
}

type NewSuggestion = Pick<Suggestion, "kind" | "entryId" | "entryName" | "fields" | "note">;

/**
 * Stores a suggestion, without a user that of a visitor. Resolves to false if too many of the user's, or of all
 * visitors, wait already. One that waits already, as after a double click, is not stored again.
 */
export async function addSuggestion(
  db: Knex,
  userId: number | undefined,
  suggestion: NewSuggestion,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    // One at a time, so that several at once cannot pass the limit.
    if (userId !== undefined) await transaction("users").where({ id: userId }).forUpdate().first("id");
    else await transaction.raw("select pg_advisory_xact_lock(hashtext('anonymous suggestions'))");
    const by = userId === undefined ? { anonymous: true } : { user_id: userId };
    const { kind, entryId, entryName, fields, note } = suggestion;
    const report = { ...by, kind, entry_id: entryId, fields: JSON.stringify(fields), note };
    const open = transaction("suggestions").where({ ...by, state: "open" });
    if (await open.clone().where(report).first("id")) return true;
    const waiting = await open.select("id");
    if (waiting.length >= (userId === undefined ? ANONYMOUS_AT_MOST : WAITING_AT_MOST)) return false;
    await transaction("suggestions").insert({ ...report, entry_name: entryName });
    return true;
  });
}

/**
 * The first suggestions that wait for a decision, the oldest first, those of users before those of visitors; each has
 * the total.
 */
export async function listSuggestions(
  db: Db,
  kinds: readonly string[],
): Promise<(Suggestion & { readonly total: number })[]> {
  return openSuggestions(db, kinds)
    .select(db.raw("count(*) over ()::integer as total"))
    .orderBy(["suggestion.anonymous", "suggestion.id"])
    .limit(LISTED_AT_MOST);
}

/** Who a suggestion is by, in words. */
export function describeReporter({ isAnonymous, userName }: Suggestion, t: Translate): string {
  if (isAnonymous) return t("suggestions.anonymous");
  return t("suggestions.by", { name: userName ?? t("suggestions.nobody") });
}

/** An open suggestion; undefined without one, or after a decision. */
export async function findSuggestion(db: Db, id: number | undefined): Promise<Suggestion | undefined> {
  if (id === undefined) return undefined;
  return openSuggestions(db, reportedKinds()).where({ "suggestion.id": id }).first();
}

/** The kinds that users report mistakes of. */
export function reportedKinds(): ReportedKind[] {
  return [...catalogueKinds(), ...(isHidden("shop") ? [] : (["donate-items"] as const))];
}

function openSuggestions(db: Db, kinds: readonly string[]): Knex.QueryBuilder {
  return db("suggestions as suggestion")
    .leftJoin("users", "users.id", "suggestion.user_id")
    .where({ "suggestion.state": "open" })
    .whereIn("suggestion.kind", kinds)
    .select("suggestion.id", "suggestion.kind", "suggestion.fields", "suggestion.note")
    .select("suggestion.entry_id as entryId", "suggestion.entry_name as entryName")
    .select("suggestion.created_at as createdAt", "suggestion.anonymous as isAnonymous")
    .select("users.name as userName");
}

/**
 * Closes an open suggestion about a record and notifies its user, if it has one. Resolves to false if somebody has decided before.
 * @param reason what the user reads
 */
export async function decideSuggestion(
  transaction: Db,
  by: Actor,
  { id, kind, entryId }: { readonly id: number; readonly kind: ReportedKind; readonly entryId: string },
  { state, reason }: { readonly state: "accepted" | "declined"; readonly reason?: string | undefined },
): Promise<boolean> {
  const [decided]: { user_id: number | null }[] = await transaction("suggestions")
    .where({ id, kind, entry_id: entryId, state: "open" })
    .update({ state, reason: reason ?? null, decided_at: transaction.fn.now() })
    .returning("user_id");
  if (!decided) return false;
  if (decided.user_id !== null)
    await transaction("notifications").insert({ user_id: decided.user_id, suggestion_id: id });
  await recordAction(transaction, by, {
    action: state === "accepted" ? "suggestion.accepted" : "suggestion.declined",
    subject: `${kind}/${entryId}`,
    after: { suggestion: id },
    note: reason,
  });
  return true;
}

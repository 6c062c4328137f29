import type { Knex } from "knex";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { catalogueKinds, type ReportedKind } from "../../words/kinds/kinds.ts";
import type { Typed } from "./fields.ts";

/** How many suggestions of one user may wait. */
export const WAITING_AT_MOST = 20;
const LISTED_AT_MOST = 100;

/** What a user suggests about a record. */
export interface Suggestion {
  readonly id: number;
  readonly kind: ReportedKind;
  readonly entryId: string;
  /** The record's name when it was sent. */
  readonly entryName: string;
  /** null: the user deleted their account. */
  readonly userName: string | null;
  /** What was changed, by the names of the form; empty: the note says it all. */
  readonly fields: Typed;
  readonly note: string | null;
  readonly createdAt: Date;
}

type NewSuggestion = Pick<Suggestion, "kind" | "entryId" | "entryName" | "fields" | "note">;

/** Stores a suggestion. Resolves to false if too many of the user's wait already. */
export async function addSuggestion(db: Knex, userId: number, suggestion: NewSuggestion): Promise<boolean> {
  return db.transaction(async (transaction) => {
    // One at a time, so that several at once cannot pass the limit.
    await transaction("users").where({ id: userId }).forUpdate().first("id");
    const waiting = await transaction("suggestions").where({ user_id: userId, state: "open" }).select("id");
    if (waiting.length >= WAITING_AT_MOST) return false;
    const { kind, entryId, entryName, fields, note } = suggestion;
    await transaction("suggestions").insert({
      ...{ kind, entry_id: entryId, entry_name: entryName, user_id: userId, note },
      fields: JSON.stringify(fields),
    });
    return true;
  });
}

/** The suggestions that wait for a decision, the oldest first. */
export async function listSuggestions(db: Db, kinds: readonly string[]): Promise<Suggestion[]> {
  return openSuggestions(db, kinds).orderBy("suggestion.id").limit(LISTED_AT_MOST);
}

/** An open suggestion; undefined if there is none or somebody has decided. */
export async function findSuggestion(db: Db, id: number): Promise<Suggestion | undefined> {
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
    .select("suggestion.created_at as createdAt", "users.name as userName");
}

/**
 * Closes an open suggestion about a record and notifies its user. Resolves to false if somebody has decided before.
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

import type { Db } from "../../db/connect.ts";
import { deleteInBatches, selectRows } from "../../db/rows.ts";
import { fromStored, type Outcome, toStored } from "./answer.ts";

/** How long a repeated write gets its first answer. */
const KEPT = "24 hours";

/** A write that may be repeated, by draft-ietf-httpapi-idempotency-key-header. */
export interface Repeatable {
  readonly keyId: number;
  /** The Idempotency-Key, which each API key has its own of. */
  readonly name: string;
  /** A hash of all that the request says. */
  readonly request: Buffer;
}

/**
 * Claims the name for the write of this transaction. Waits for another write of the same name that is under way. Resolves
 * to the outcome of an earlier write, or to "other" if that was another request; undefined: this write is the first.
 */
export async function claimAnswer(
  db: Db,
  { keyId, name, request }: Repeatable,
): Promise<Outcome | "other" | undefined> {
  const claimed = await selectRows(
    db,
    `insert into write_answers as w (key_id, idempotency_key, request) values (?, ?, ?)
     on conflict (key_id, idempotency_key) do update set request = excluded.request, answer = null, at = now()
      where w.at < now() - interval '${KEPT}'
     returning key_id`,
    [keyId, name, request],
  );
  if (claimed.length > 0) return undefined;
  const [first] = await selectRows<{ request: Buffer; answer: string }>(
    db,
    "select request, answer from write_answers where key_id = ? and idempotency_key = ?",
    [keyId, name],
  );
  if (!first || first.request.equals(request)) return first && fromStored(JSON.parse(first.answer));
  return "other";
}

/** Keeps the answer of a claimed write. */
export async function keepAnswer(db: Db, { keyId, name }: Repeatable, outcome: Outcome): Promise<void> {
  // As text: jsonb would not keep the order of the members, and with it the entity tag.
  const answer = JSON.stringify(toStored(outcome));
  await db("write_answers").where({ key_id: keyId, idempotency_key: name }).update({ answer });
}

/** Removes answers that no repeat gets any more; resolves to how many. */
export async function removeOldAnswers(db: Db): Promise<number> {
  return deleteInBatches(db, "write_answers", `at < now() - interval '${KEPT}'`);
}

import type { Db } from "../db/connect.ts";
import { deleteInBatches, selectRows } from "../db/rows.ts";
import type { Outcome, StoredOutcome } from "./answer.ts";
import { fromStored, toStored } from "./answer.ts";

/** So long a repeated write gets its first answer. */
const KEPT = "24 hours";

/** A write that may be repeated, by draft-ietf-httpapi-idempotency-key-header. */
export interface Repeatable {
  readonly keyId: number;
  /** The Idempotency-Key, which each API key has its own of. */
  readonly name: string;
  /** A hash of all that the request says. */
  readonly request: Buffer;
}

/** `"mine"`: this request is the first one · `"other"`: the name belongs to another request · else the first answer. */
export type Claim = "mine" | "other" | Outcome;

/**
 * Claims names for writes of this transaction, each once. Waits for writes of the same names that are under way: they
 * have answered then, or are undone.
 */
export async function claimAnswers(db: Db, writes: readonly Repeatable[]): Promise<Claim[]> {
  if (writes.length === 0) return [];
  // In one order for all, so that no two transactions wait for each other.
  const claimed = await selectRows<{ key_id: number; idempotency_key: string }>(
    db,
    `insert into write_answers as w (key_id, idempotency_key, request)
     select * from unnest(?::bigint[], ?::text[], ?::bytea[]) as given (key_id, idempotency_key, request)
      order by key_id, idempotency_key collate "C"
     on conflict (key_id, idempotency_key) do update set request = excluded.request, answer = null, at = now()
      where w.at < now() - interval '${KEPT}'
     returning key_id, idempotency_key`,
    [writes.map(({ keyId }) => keyId), writes.map(({ name }) => name), writes.map(({ request }) => request)],
  );
  const mine = new Set(claimed.map(({ key_id, idempotency_key }) => `${key_id} ${idempotency_key}`));
  const others = writes.filter(({ keyId, name }) => !mine.has(`${keyId} ${name}`));
  const known = await readAnswers(db, others);
  return writes.map(({ keyId, name, request }) => {
    const at = `${keyId} ${name}`;
    const first = known.get(at);
    if (mine.has(at) || !first) return "mine";
    return first.request.equals(request) && first.answer
      ? fromStored(JSON.parse(first.answer) as StoredOutcome)
      : "other";
  });
}

async function readAnswers(db: Db, writes: readonly Repeatable[]) {
  if (writes.length === 0) return new Map<string, never>();
  const rows = await selectRows<{
    key_id: number;
    idempotency_key: string;
    request: Buffer;
    answer: string | null;
  }>(
    db,
    `select w.* from write_answers w
       join unnest(?::bigint[], ?::text[]) as given (key_id, idempotency_key) using (key_id, idempotency_key)`,
    [writes.map(({ keyId }) => keyId), writes.map(({ name }) => name)],
  );
  return new Map(rows.map((row) => [`${row.key_id} ${row.idempotency_key}`, row]));
}

/** Keeps the answers of claimed writes; `undefined`: there is none, and the name may be used for another request. */
export async function keepAnswers(
  db: Db,
  answers: readonly { readonly write: Repeatable; readonly outcome: Outcome | undefined }[],
): Promise<void> {
  if (answers.length === 0) return;
  await db.raw(
    `with given as materialized (
       select * from jsonb_to_recordset(?::jsonb) as g (key_id bigint, name text, answer text)),
     freed as (
       delete from write_answers w using given g
        where (w.key_id, w.idempotency_key) = (g.key_id, g.name) and g.answer is null)
     update write_answers w set answer = g.answer from given g
      where (w.key_id, w.idempotency_key) = (g.key_id, g.name) and g.answer is not null`,
    [
      JSON.stringify(
        answers.map(({ write: { keyId, name }, outcome }) => ({
          key_id: keyId,
          name,
          // As text: jsonb would not keep the order of the members, and with it the entity tag.
          answer: outcome === undefined ? null : JSON.stringify(toStored(outcome)),
        })),
      ),
    ],
  );
}

/** Removes answers that no repeat gets any more; resolves to how many. */
export async function removeOldAnswers(db: Db): Promise<number> {
  return deleteInBatches(db, "write_answers", `at < now() - interval '${KEPT}'`);
}

import type { Knex } from "knex";
import { areGranted } from "../api-keys/grant-queries.ts";
import type { Db } from "../db/connect.ts";
import { missingScope } from "../http/auth.ts";
import { digestOf, entityTag } from "../http/encoding.ts";
import { badInput, HttpError } from "../http/errors.ts";
import { said } from "../i18n/said.ts";
import { importRecords } from "../import/import-records.ts";
import type { InvalidRecord } from "../import/invalid-records.ts";
import type { ImportKind } from "../import/kinds.ts";
import { removeRecords } from "../import/remove-records.ts";
import { lockKind } from "../import/storage/queries.ts";
import { ImportRefusedError } from "../import/summary.ts";
import { isCatalogueKind } from "../kinds/kinds.ts";
import type { ReadKind } from "../record-api/kinds.ts";
import type { ApiRecord } from "../record-api/record.ts";
import type { AnyRecordKind } from "../record-api/record-kinds.ts";
import { findRemoved } from "../record-api/tombstone-queries.ts";
import type { GameCodes } from "../text/game-codes.ts";
import { absoluteUrl } from "../urls.ts";
import type { Outcome } from "./answer.ts";
import { type Claim, claimAnswers, keepAnswers } from "./answer-queries.ts";
import { findCurrent } from "./current-queries.ts";
import { type Plan, planWrite } from "./planned.ts";
import type { AnyWrite, SingleWrite } from "./write.ts";

/** So long a write waits for an import of the same kind. */
const LOCK_TIMEOUT = "10s";

/** Waits for other imports of a kind, but not long. @throws an error with the code 55P03 */
export async function waitForKind(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await lockKind(transaction, kind);
}

/**
 * Checks at the end of a transaction that all of its writes are still allowed.
 * @throws HttpError 403 for one whose key or grant has ended while it waited or was made
 */
export async function confirmAllowed(transaction: Db, writes: readonly AnyWrite[]): Promise<void> {
  const granted = await areGranted(transaction, writes);
  const refused = writes.find((_write, index) => !granted[index]);
  if (refused) throw missingScope(refused.scope);
}

/** One write of a group, until it has its outcome. */
interface Slot {
  readonly write: SingleWrite;
  outcome?: Outcome;
  plan?: Plan;
  isNew?: boolean;
}

/**
 * Writes records of one kind in one transaction, each of another id, and each with an outcome of its own: one that is
 * refused keeps no other from being written. Resolves once all are committed; rejects where one of several is not allowed
 * any more, so that each is to be tried by itself.
 */
export async function writeGroup(
  db: Db,
  kind: ReadKind,
  records: AnyRecordKind,
  writes: readonly SingleWrite[],
): Promise<Outcome[]> {
  return db.transaction(async (transaction) => {
    await waitForKind(transaction, kind);
    const slots: Slot[] = writes.map((write) => ({ write }));
    await answerRepeats(transaction, slots);
    await plan(transaction, kind, records, open(slots));
    await removeRecords(
      transaction,
      kind,
      open(slots).flatMap(({ plan, write }) => (plan === "remove" ? [write.id] : [])),
    );
    await importPlanned(transaction, kind, open(slots));
    await answer(transaction, kind, records, open(slots));
    await keep(transaction, slots);
    await confirmAllowed(transaction, writes);
    return slots.map(({ outcome }) => outcome ?? new HttpError("internal", said("errors.detail.internal")));
  });
}

/** Those that have no outcome yet. */
function open(slots: readonly Slot[]): Slot[] {
  return slots.filter(({ outcome }) => outcome === undefined);
}

/** Slots whose name this transaction has claimed, so that their answers are kept. */
const claimed = new WeakSet<Slot>();

async function answerRepeats(db: Db, slots: readonly Slot[]): Promise<void> {
  const named = open(slots).flatMap((slot) => (slot.write.repeatable ? [slot] : []));
  const claims = await claimAnswers(
    db,
    named.flatMap(({ write }) => write.repeatable ?? []),
  );
  for (const [index, slot] of named.entries()) {
    const outcome = outcomeOfClaim(claims[index] ?? "mine");
    if (outcome) slot.outcome = outcome;
    else claimed.add(slot);
  }
}

/** The answer of a write that was made before, or is another one; undefined: it is to be made. */
export function outcomeOfClaim(claim: Claim): Outcome | undefined {
  if (claim === "mine") return undefined;
  return claim === "other" ? new HttpError("keyReused", said("errors.detail.key_reused")) : claim;
}

async function plan(db: Db, kind: ReadKind, records: AnyRecordKind, slots: readonly Slot[]): Promise<void> {
  const ids = slots.map(({ write }) => write.id);
  const current = await findCurrent(db, kind, ids);
  const missing = ids.filter((id) => !current.has(id));
  const removed = new Map(
    (missing.length > 0 ? await findRemoved(db, kind, missing) : []).map(({ id, removed_at }) => [
      id,
      removed_at,
    ]),
  );
  const asked = slots.filter(({ write }) => Array.isArray(write.ifMatch)).map(({ write }) => write.id);
  const digests = await digestsOf(db, records, asked, slots);
  for (const slot of slots) {
    const { id, ifMatch } = slot.write;
    const tags = Array.isArray(ifMatch) ? ifMatch : [];
    const isMatch = ifMatch === "*" || tags.some((tag) => isTagOf(tag, digests.get(id)));
    try {
      slot.plan = planWrite(slot.write, { current: current.get(id), removedAt: removed.get(id), isMatch });
      slot.isNew = !current.has(id);
      if (slot.plan !== "remove" && slot.plan.wrong.length > 0) slot.outcome = badInput([...slot.plan.wrong]);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      slot.outcome = error;
    }
  }
}

/** What entity tags of records are made of. */
async function digestsOf(
  db: Db,
  records: AnyRecordKind,
  ids: string[],
  slots: readonly Slot[],
): Promise<Map<string, string>> {
  const site = slots[0]?.write.site;
  if (ids.length === 0 || !site) return new Map();
  const rows = await findAny(db, records, ids);
  return new Map(rows.map((row) => [row.id, digestOf(JSON.stringify(records.toJson(row, { site })))]));
}

function findAny(db: Db, records: AnyRecordKind, ids: string[]) {
  return (records.findUntold ?? records.find).call(records, db, ids);
}

/** A record has another entity tag in each encoding. */
function isTagOf(tag: string, digest: string | undefined): boolean {
  return digest !== undefined && ["identity", "br", "gzip"].some((each) => entityTag(digest, each) === tag);
}

/** Imports records that have the same fields at once: a field that one of an import has is written for all. */
async function importPlanned(
  transaction: Knex.Transaction,
  kind: ReadKind,
  slots: readonly Slot[],
): Promise<void> {
  const planned = slots.flatMap((slot) =>
    slot.plan !== undefined && slot.plan !== "remove" ? [{ slot, fields: slot.plan.fields }] : [],
  );
  const site = slots[0]?.write.site;
  const codes = isCatalogueKind(kind) ? site?.vocabulary.of(kind).codes : undefined;
  const bySignature = Map.groupBy(planned, ({ fields }) => Object.keys(fields).sort().join());
  for (const group of bySignature.values()) {
    const invalid = await importAll(
      transaction,
      kind,
      group.map(({ fields }) => fields),
      codes,
    );
    for (const { record, problems } of invalid) {
      const slot = group[record - 1]?.slot;
      if (slot)
        slot.outcome = badInput(
          problems.map(({ field, reason }) => ({ param: field || "body", message: reason })),
        );
    }
  }
}

/** Resolves to the records that were refused; the others are written. */
async function importAll(
  transaction: Knex.Transaction,
  kind: ReadKind,
  records: readonly unknown[],
  codes: GameCodes | undefined,
): Promise<readonly InvalidRecord[]> {
  const options = { codes, skipInvalid: true, isSmall: true, isEdit: true, reportedAtMost: records.length };
  try {
    return (await importRecords(transaction, kind, records, options)).invalidRecords;
  } catch (error) {
    // None of them was valid.
    if (error instanceof ImportRefusedError) return error.summary.invalidRecords;
    throw error;
  }
}

async function answer(db: Db, kind: ReadKind, records: AnyRecordKind, slots: readonly Slot[]): Promise<void> {
  const written = slots.filter(({ plan }) => plan !== "remove");
  const rows =
    written.length === 0
      ? []
      : await findAny(
          db,
          records,
          written.map(({ write }) => write.id),
        );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const slot of slots) {
    const { id, site } = slot.write;
    const row = byId.get(id);
    if (slot.plan === "remove") slot.outcome = { status: 204, headers: {} };
    else if (row) slot.outcome = success(kind, slot, records.toJson(row, { site }));
  }
}

function success(kind: ReadKind, { write, isNew }: Slot, json: ApiRecord): Outcome {
  const url = absoluteUrl(write.site.baseUrl, `/api/${kind}/${encodeURIComponent(write.id)}`);
  const headers = {
    ETag: entityTag(digestOf(JSON.stringify(json)), "identity"),
    ...(isNew && { Location: url }),
  };
  return { status: isNew ? 201 : 200, headers, json };
}

/** Keeps the answers of named writes; a refused body may be sent again under the same name once it is right. */
async function keep(db: Db, slots: readonly Slot[]): Promise<void> {
  await keepAnswers(
    db,
    slots.flatMap((slot) => {
      const { write, outcome } = slot;
      if (!claimed.has(slot) || !write.repeatable) return [];
      return [{ write: write.repeatable, outcome: isRefusedBody(outcome) ? undefined : outcome }];
    }),
  );
}

function isRefusedBody(outcome: Outcome | undefined): boolean {
  return outcome instanceof HttpError && outcome.problem.status === 400;
}

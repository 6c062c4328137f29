import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { withLockTimeout } from "../db/rows.ts";
import { type Phase, readDatabaseClock } from "../records/prices/queries.ts";
import { createSlug } from "../records/slug.ts";
import {
  type DiscountErrors,
  type DiscountInput,
  type DiscountPlan,
  phaseAt,
  planDiscount,
} from "./discount-plan.ts";
import {
  type DiscountRow,
  deleteDiscount,
  endDiscountNow,
  findDiscount,
  insertDiscount,
  type KnownDiscount,
  lockDiscount,
  lockItem,
  updateDiscount,
} from "./discount-queries.ts";

/** A new id such as `autumn-sale-1f8a2c40`: readable, and unique by its random end. */
export function makeDiscountId(text: string): string {
  const slug = createSlug(text).slice(0, 60).replace(/-$/, "");
  return [slug, randomBytes(4).toString("hex")].filter((part) => part !== "").join("-");
}

/** The outcome of saving; only `saved` wrote anything. */
export type SaveOutcome =
  /** `isRepeat`: the same form has saved it before. */
  | { outcome: "saved"; plan: DiscountPlan; isRepeat?: true }
  | { outcome: "refused"; errors: DiscountErrors }
  /** Somebody else changed it since it was read. */
  | { outcome: "changed"; known: KnownDiscount }
  /** It started or ended since it was read, so other users would be notified. */
  | { outcome: "moved on"; known: KnownDiscount }
  /** There is another discount with this id. */
  | { outcome: "exists"; known: KnownDiscount }
  | { outcome: "gone" }
  /** An import locks the item or the discount for longer than a person waits. */
  | { outcome: "busy" };

/**
 * Adds a discount to an item. The same input under the same id counts as saved, so that a form sent twice creates one
 * discount. "gone": the item does not exist.
 */
export async function addDiscount(
  db: Db,
  { id, itemKey, input }: { id: string; itemKey: string; input: DiscountInput },
): Promise<SaveOutcome> {
  return inTurn<SaveOutcome>(db, { outcome: "busy" }, async (transaction) => {
    const item = await lockItem(transaction, itemKey);
    if (!item) return { outcome: "gone" };
    const { plan, errors } = planDiscount(input, item, undefined, await readDatabaseClock(transaction));
    if (errors) return { outcome: "refused", errors };
    if (await insertDiscount(transaction, { id, itemKey, ...toRow(plan) })) return { outcome: "saved", plan };
    const known = await findDiscount(transaction, id);
    if (!known) return { outcome: "gone" };
    if (!isFulfilled(known, itemKey, plan)) return { outcome: "exists", known };
    return { outcome: "saved", plan, isRepeat: true };
  });
}

/** True if a discount matches the plan. One that was to start at once may have started. */
function isFulfilled(known: KnownDiscount, itemKey: string, plan: DiscountPlan): boolean {
  const hasStarted = plan.isAtOnce && known.starts_at <= plan.startsAt;
  const row = { ...toRow(plan), ...(hasStarted && { starts_at: known.starts_at }) };
  return known.item_key === itemKey && Object.keys(listChanges(known, row)).length === 0;
}

/**
 * Changes a discount; its item stays.
 * @param version of the discount that the input was made for; undefined for any
 * @param phase of it at that time; undefined for any
 */
export async function changeDiscount(
  db: Db,
  { id, version, phase, input }: { id: string; version?: string; phase?: Phase; input: DiscountInput },
): Promise<SaveOutcome> {
  return inTurn<SaveOutcome>(db, { outcome: "busy" }, async (transaction) => {
    const locked = await lockDiscount(transaction, id);
    if (!locked) return { outcome: "gone" };
    const { known, item } = locked;
    if (version !== undefined && version !== known.version) return { outcome: "changed", known };
    const now = await readDatabaseClock(transaction);
    if (phase !== undefined && phase !== phaseAt(known, now)) return { outcome: "moved on", known };
    const { plan, errors } = planDiscount(input, item, known, now);
    if (errors) return { outcome: "refused", errors };
    const changes = listChanges(known, toRow(plan));
    if (Object.keys(changes).length > 0) await updateDiscount(transaction, id, changes);
    return { outcome: "saved", plan };
  });
}

export type EndOutcome = "ended" | "withdrawn" | "already over" | "started meanwhile" | "gone" | "busy";

/**
 * Ends a running discount, or removes one that has not started. Does not withdraw one that has started meanwhile,
 * because users have been notified of it and the operator must know that first.
 * @param wanted what the caller expects to happen; undefined for either
 */
export async function endDiscount(
  db: Db,
  id: string,
  wanted: "end" | "withdraw" | undefined,
): Promise<EndOutcome> {
  return inTurn<EndOutcome>(db, "busy", async (transaction) => {
    const locked = await lockDiscount(transaction, id);
    if (!locked) return "gone";
    const phase = phaseAt(locked.known, await readDatabaseClock(transaction));
    if (phase === "past") return "already over";
    if (phase === "coming") {
      await deleteDiscount(transaction, id);
      return "withdrawn";
    }
    if (wanted === "withdraw") return "started meanwhile";
    await endDiscountNow(transaction, id);
    return "ended";
  });
}

/** The timeout for locks. The import of a large shop keeps its locks until all of it is written. */
const PATIENCE = "3s";

async function inTurn<Outcome>(
  db: Db,
  busy: Outcome,
  work: (transaction: Knex.Transaction) => Promise<Outcome>,
): Promise<Outcome> {
  return (await withLockTimeout(db, work, PATIENCE)) ?? busy;
}

export function toRow({ title, titles, terms, startsAt, endsAt, announced }: DiscountPlan): DiscountRow {
  return { title, titles, ...terms, starts_at: startsAt, ends_at: endsAt, announced };
}

/** The columns that change. Decimals are compared as numbers: "7.5" equals "7.50". */
function listChanges(known: KnownDiscount, row: DiscountRow): Partial<DiscountRow> {
  const same = (before: unknown, after: unknown) =>
    before instanceof Date && after instanceof Date
      ? before.getTime() === after.getTime()
      : isDeepStrictEqual(before, after);
  const decimal = (text: string | null) => (text === null ? null : Number(text));
  const before = { ...known, percent: decimal(known.percent), price: decimal(known.price) };
  const after = { ...row, percent: decimal(row.percent), price: decimal(row.price) };
  const changed = (Object.keys(row) as (keyof DiscountRow)[]).filter((key) => !same(before[key], after[key]));
  return Object.fromEntries(changed.map((key) => [key, row[key]]));
}

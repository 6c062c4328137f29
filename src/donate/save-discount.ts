import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { type Phase, readDatabaseClock } from "../prices/queries.ts";
import { type DiscountPlan, type DiscountWish, phaseAt, planDiscount } from "./discount-plan.ts";
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
import type { WishFaults } from "./wish-faults.ts";

/** What became of a wish; nothing was written but where it was saved. */
export type SaveOutcome =
  | { outcome: "saved"; plan: DiscountPlan }
  | { outcome: "refused"; faults: WishFaults }
  /** Somebody else changed it since it was read. */
  | { outcome: "changed"; known: KnownDiscount }
  /** It started or ended since it was read: the same wish would tell other people. */
  | { outcome: "moved on"; known: KnownDiscount }
  /** There is another discount with this id. */
  | { outcome: "exists"; known: KnownDiscount }
  | { outcome: "gone" }
  /** Somebody else holds the item or the discount, and has for longer than a person waits: an import. */
  | { outcome: "busy" };

/**
 * Adds a discount to an item. The same wish with the same id again is saved already, so that a form that is sent twice
 * makes one discount. "gone": there is no such item.
 */
export async function addDiscount(
  db: Db,
  { id, itemKey, wish }: { id: string; itemKey: string; wish: DiscountWish },
): Promise<SaveOutcome> {
  return inTurn<SaveOutcome>(db, { outcome: "busy" }, async (transaction) => {
    const item = await lockItem(transaction, itemKey);
    if (!item) return { outcome: "gone" };
    const { plan, faults } = planDiscount(wish, item, undefined, await readDatabaseClock(transaction));
    if (faults) return { outcome: "refused", faults };
    if (await insertDiscount(transaction, { id, itemKey, ...rowOf(plan) })) return { outcome: "saved", plan };
    const known = await findDiscount(transaction, id);
    if (!known) return { outcome: "gone" };
    return isFulfilled(known, itemKey, plan) ? { outcome: "saved", plan } : { outcome: "exists", known };
  });
}

/** Whether a discount is what a plan would make. One that was to start at once has by now. */
function isFulfilled(known: KnownDiscount, itemKey: string, plan: DiscountPlan): boolean {
  const hasStarted = plan.isAtOnce && known.starts_at <= plan.startsAt;
  const row = { ...rowOf(plan), ...(hasStarted && { starts_at: known.starts_at }) };
  return known.item_key === itemKey && Object.keys(changesOf(known, row)).length === 0;
}

/**
 * Changes a discount; its item stays.
 * @param version of the discount that the wish was made for; undefined: whatever is there
 * @param phase where it stood then; undefined: wherever it stands
 */
export async function changeDiscount(
  db: Db,
  { id, version, phase, wish }: { id: string; version?: string; phase?: Phase; wish: DiscountWish },
): Promise<SaveOutcome> {
  return inTurn<SaveOutcome>(db, { outcome: "busy" }, async (transaction) => {
    const locked = await lockDiscount(transaction, id);
    if (!locked) return { outcome: "gone" };
    const { known, item } = locked;
    if (version !== undefined && version !== known.version) return { outcome: "changed", known };
    const now = await readDatabaseClock(transaction);
    if (phase !== undefined && phase !== phaseAt(known, now)) return { outcome: "moved on", known };
    const { plan, faults } = planDiscount(wish, item, known, now);
    if (faults) return { outcome: "refused", faults };
    const changes = changesOf(known, rowOf(plan));
    if (Object.keys(changes).length > 0) await updateDiscount(transaction, id, changes);
    return { outcome: "saved", plan };
  });
}

/** What became of a discount that was to be ended. */
export type EndOutcome = "ended" | "withdrawn" | "already over" | "started meanwhile" | "gone" | "busy";

/**
 * Ends a discount that runs, now; withdraws one that comes, as if it had never been. Whoever wanted to withdraw one
 * that has started in between must know that people have been told of it.
 * @param wanted what the caller believes that will happen; undefined: either
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

/** An import of a large shop holds what it has changed until all of it is written. */
const PATIENCE = "3s";
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available */
const LOCK_TIMED_OUT = "55P03";

async function inTurn<Outcome>(
  db: Db,
  busy: Outcome,
  work: (transaction: Knex.Transaction) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await db.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout = '${PATIENCE}'`);
      return work(transaction);
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === LOCK_TIMED_OUT) return busy;
    throw error;
  }
}

function rowOf({ title, terms, startsAt, endsAt, announced }: DiscountPlan): DiscountRow {
  return { title, ...terms, starts_at: startsAt, ends_at: endsAt, announced };
}

/** What a new row says otherwise. Decimals are compared by what they say: "7.5" is what was "7.50". */
function changesOf(known: KnownDiscount, row: DiscountRow): Partial<DiscountRow> {
  const same = (before: unknown, after: unknown) =>
    before instanceof Date && after instanceof Date ? before.getTime() === after.getTime() : before === after;
  const decimal = (text: string | null) => (text === null ? null : Number(text));
  const before = { ...known, percent: decimal(known.percent), price: decimal(known.price) };
  const after = { ...row, percent: decimal(row.percent), price: decimal(row.price) };
  const changed = (Object.keys(row) as (keyof DiscountRow)[]).filter((key) => !same(before[key], after[key]));
  return Object.fromEntries(changed.map((key) => [key, row[key]]));
}

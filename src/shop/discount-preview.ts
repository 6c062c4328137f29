import type { Db } from "../db/connect.ts";
import { bestDiscount, discountedPrice, type Saving, saving } from "../records/prices/prices.ts";
import { type Discount, listDiscountsOf, type Phase } from "../records/prices/queries.ts";
import { type DiscountPlan, phaseAt } from "./discount-plan.ts";
import { countUnnotified, type DiscountedItem, type KnownDiscount } from "./discount-queries.ts";

/** Another discount of the item whose period overlaps. */
interface Rival {
  discount: Discount;
  newPrice: string | null;
  /** Which of the two decides the price while both run. */
  winner: "this" | "other";
}

/** The effects of saving a plan. */
export interface DiscountPreview {
  item: DiscountedItem;
  plan: DiscountPlan;
  saved: Saving | undefined;
  rivals: Rival[];
  /** Users who will be notified: those with the item as a favorite and no notification of this run yet. */
  unnotified: number;
  /** The phase of the changed discount; undefined for a new one. */
  phase: Phase | undefined;
  /** Must be the same on saving. A different text means that the operator saw another outcome. */
  seen: string;
}

/** @param known the discount to change; undefined for a new one */
export async function previewPlan(
  db: Db,
  item: DiscountedItem,
  plan: DiscountPlan,
  known: KnownDiscount | undefined,
  now: Date,
): Promise<DiscountPreview> {
  const others = (await listDiscountsOf(db, item.key)).filter(({ id }) => id !== known?.id);
  const phase = known && phaseAt(known, now);
  const notified = known && { id: known.id, run: nextRun(known, phase) };
  return {
    item,
    plan,
    saved: saving(item.price, plan.newPrice),
    rivals: others.filter((other) => isOverlapping(other, plan)).map((other) => judge(other, item, plan)),
    unnotified: await countUnnotified(db, item, plan.newPrice, notified),
    phase,
    seen: [phase ?? "new", notified?.run ?? 1, item.price ?? "none", plan.newPrice].join(" "),
  };
}

/** The change since the preview was shown. */
export type Change = "started" | "ended" | "price";

/** @param seen of the preview that was shown. @returns undefined if nothing has changed */
export function changeSince(seen: string, { phase, seen: now }: DiscountPreview): Change | undefined {
  if (seen === now) return undefined;
  const before = seen.split(" ", 1)[0];
  if (phase === "past" && before !== "past") return "ended";
  return phase === "running" && before === "coming" ? "started" : "price";
}

function isOverlapping(other: Discount, { startsAt, endsAt }: DiscountPlan): boolean {
  const beginsBefore = endsAt === null || other.starts_at < endsAt;
  return beginsBefore && (other.ends_at === null || other.ends_at > startsAt);
}

/** By `bestDiscount`, as in the shop. A new discount has no id yet and sorts after all others. */
function judge(other: Discount, item: DiscountedItem, { terms, endsAt }: DiscountPlan): Rival {
  const planned = { id: "\uffff", ...terms, ends_at: endsAt };
  const best = bestDiscount(item, [planned, other]);
  return {
    discount: other,
    newPrice: discountedPrice(item, other),
    winner: best?.discount === planned ? "this" : "other",
  };
}

/** Changing a past discount begins its next run, as the database counts them (follow_discount_runs). */
function nextRun({ run }: KnownDiscount, phase: Phase | undefined): number {
  return phase === "past" ? run + 1 : run;
}

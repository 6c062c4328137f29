import type { Db } from "../db/connect.ts";
import { type DiscountPlan, phaseAt } from "./discount-plan.ts";
import { countUntold, type DiscountedItem, type KnownDiscount } from "./discount-queries.ts";
import { bestDiscount, discountedPrice, type Saving, saving } from "./prices.ts";
import { type Discount, listDiscountsOf } from "./queries.ts";

/** Another discount of the item that runs at some time of the same period. */
export interface Rival {
  discount: Discount;
  newPrice: string | null;
  /** Which of the two decides the price while both run. */
  winner: "this" | "other";
}

/** What comes of a plan, before it is saved. */
export interface DiscountPreview {
  item: DiscountedItem;
  plan: DiscountPlan;
  saved: Saving | undefined;
  rivals: Rival[];
  /** Users who will be told: those who have the item as a favorite and no notice of this run. */
  untold: number;
  /** Says with which prices it was shown: where it is another one on saving, somebody has changed the item. */
  seen: string;
}

/** @param known the discount that is to be changed; undefined: a new one */
export async function previewPlan(
  db: Db,
  item: DiscountedItem,
  plan: DiscountPlan,
  known: KnownDiscount | undefined,
  now: Date,
): Promise<DiscountPreview> {
  const others = (await listDiscountsOf(db, item.key)).filter(({ id }) => id !== known?.id);
  return {
    item,
    plan,
    saved: saving(item.price, plan.newPrice),
    rivals: others.filter((other) => isOverlapping(other, plan)).map((other) => judge(other, item, plan)),
    untold: await countUntold(db, item.key, known && { id: known.id, run: nextRun(known, now) }),
    seen: `${item.price ?? "none"} ${plan.newPrice}`,
  };
}

function isOverlapping(other: Discount, { startsAt, endsAt }: DiscountPlan): boolean {
  const beginsBefore = endsAt === null || other.starts_at < endsAt;
  return beginsBefore && (other.ends_at === null || other.ends_at > startsAt);
}

/** By the rule of the shop: what `bestDiscount` says of the two. A new one has no id yet; any other goes before it. */
function judge(other: Discount, item: DiscountedItem, { terms, endsAt }: DiscountPlan): Rival {
  const planned = { id: "\uffff", ...terms, ends_at: endsAt };
  const best = bestDiscount(item, [planned, other]);
  return {
    discount: other,
    newPrice: discountedPrice(item, other),
    winner: best?.discount === planned ? "this" : "other",
  };
}

/** A discount that is over begins its next run; the database counts in the same way (follow_discount_runs). */
function nextRun(known: KnownDiscount, now: Date): number {
  return phaseAt(known, now) === "past" ? known.run + 1 : known.run;
}

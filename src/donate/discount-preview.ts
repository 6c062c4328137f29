import type { Db } from "../db/connect.ts";
import { bestDiscount, discountedPrice, type Saving, saving } from "../prices/prices.ts";
import { type Discount, listDiscountsOf, type Phase } from "../prices/queries.ts";
import { type DiscountPlan, phaseAt } from "./discount-plan.ts";
import { countUntold, type DiscountedItem, type KnownDiscount } from "./discount-queries.ts";

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
  /** Users who will be told: those who have the item as a favorite and no notification of this run. */
  untold: number;
  /** Where the discount that is to be changed stands; undefined: it is a new one. */
  phase: Phase | undefined;
  /** What of it must hold on saving as well: another text then says that what was shown is not what would be saved. */
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
  const phase = known && phaseAt(known, now);
  const told = known && { id: known.id, run: nextRun(known, phase) };
  return {
    item,
    plan,
    saved: saving(item.price, plan.newPrice),
    rivals: others.filter((other) => isOverlapping(other, plan)).map((other) => judge(other, item, plan)),
    untold: await countUntold(db, item.key, told),
    phase,
    seen: [phase ?? "new", told?.run ?? 1, item.price ?? "none", plan.newPrice].join(" "),
  };
}

/** What has become another since somebody looked: where the discount stands, or what the item costs. */
export type Change = "started" | "ended" | "price";

/** @param seen of the preview that somebody looked at; undefined: nothing has changed */
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
function nextRun({ run }: KnownDiscount, phase: Phase | undefined): number {
  return phase === "past" ? run + 1 : run;
}

import type { Knex } from "knex";
import { type Action, type Actor, recorded } from "../db/audit-queries.ts";
import type { Phase } from "../records/prices/queries.ts";
import type { DiscountInput } from "./discount-plan.ts";
import type { DiscountRow, KnownDiscount } from "./discount-queries.ts";
import {
  addDiscount,
  changeDiscount,
  type EndOutcome,
  endDiscount,
  type SaveOutcome,
  toRow,
} from "./save-discount.ts";

/** The operators' actions on discounts, each with its line of the audit log. */

/** Adds a discount, as `addDiscount` does. */
export function recordNewDiscount(
  db: Knex,
  by: Actor,
  discount: { id: string; itemKey: string; input: DiscountInput },
): Promise<SaveOutcome> {
  return recorded(
    db,
    by,
    (transaction) => addDiscount(transaction, discount),
    (saved) => describeSaved(saved, discount.id, discount.itemKey),
  );
}

/** Changes the discount that the caller has read, as `changeDiscount` does. */
export function recordChangedDiscount(
  db: Knex,
  by: Actor,
  known: KnownDiscount,
  change: { version: string; phase?: Phase | undefined; input: DiscountInput },
): Promise<SaveOutcome> {
  const { id, item_key } = known;
  return recorded(
    db,
    by,
    (transaction) => changeDiscount(transaction, { id, ...change }),
    (saved) => describeSaved(saved, id, item_key, known),
  );
}

/** Ends or withdraws a discount, as `endDiscount` does. */
export function recordEndedDiscount(
  db: Knex,
  by: Actor,
  known: KnownDiscount,
  wanted: "end" | "withdraw" | undefined,
): Promise<EndOutcome> {
  const before = auditedFields(known.item_key, known);
  return recorded(
    db,
    by,
    (transaction) => endDiscount(transaction, known.id, wanted),
    (outcome) => {
      if (outcome !== "ended" && outcome !== "withdrawn") return undefined;
      const after = outcome === "ended" ? { ...before, ends_at: new Date() } : undefined;
      return { action: "discount.ended", subject: subjectOf(known.id), before, after };
    },
  );
}

function describeSaved(
  saved: SaveOutcome,
  id: string,
  itemKey: string,
  known?: KnownDiscount,
): Action | undefined {
  if (saved.outcome !== "saved" || saved.isRepeat) return undefined;
  const before = known && auditedFields(itemKey, known);
  return {
    action: "discount.saved",
    subject: subjectOf(id),
    before,
    after: auditedFields(itemKey, toRow(saved.plan)),
  };
}

function subjectOf(id: string): string {
  return `discounts/${id}`;
}

/** Converts decimals to numbers: "7.5" equals "7.50". */
function auditedFields(
  item_key: string,
  { title, titles, percent, price, starts_at, ends_at, announced }: DiscountRow,
) {
  const decimal = (text: string | null) => (text === null ? null : Number(text));
  return {
    item_key,
    title,
    titles,
    percent: decimal(percent),
    price: decimal(price),
    starts_at,
    ends_at,
    announced,
  };
}

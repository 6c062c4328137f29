import type { Request } from "express";
import { type FieldErrors, typedText } from "../../http/form.ts";
import { zoneNamed } from "../../http/time-zones.ts";
import { Refusal, readDecimal, readLine, readPercent } from "../../import/records/values.ts";
import type { DiscountWish, WishFaults } from "../discount-plan.ts";
import type { KnownDiscount } from "../discount-queries.ts";
import { type Moment, readLocalTime, toLocalTime } from "../local-times.ts";

const FIELDS = ["item", "title", "kind", "amount", "starts", "ends", "zone", "announced"] as const;

/** The form of a discount as it was typed; times are those that clocks of `zone` show. */
export type TypedDiscount = Record<(typeof FIELDS)[number], string>;

/** What a typed form means. */
export interface ReadForm {
  wish: DiscountWish;
  zone: string;
  /** Which of the times clocks show twice; the first of them is meant. */
  repeated: { starts: boolean; ends: boolean };
}

/** What was typed, blanks around it left out. */
export function typedDiscount(req: Request): TypedDiscount {
  const typed = typedText(req, FIELDS) as TypedDiscount;
  for (const field of FIELDS) typed[field] = typed[field].trim();
  return typed;
}

/** The zone, or UTC where its clocks show an end in the year 10000: inputs would be blank, and blank is an open end. */
export function zoneFor({ ends_at }: KnownDiscount, zone: string): string {
  return ends_at !== null && toLocalTime(ends_at, zone).startsWith("+") ? "UTC" : zone;
}

/** The form as it is first shown: of a discount that is there, or an empty one. */
export function fillForm(known: KnownDiscount | undefined, zone: string, item = ""): TypedDiscount {
  const empty = { item, title: "", kind: "percent", amount: "", starts: "", ends: "", zone, announced: "" };
  if (!known) return empty;
  const { percent, price, phase } = known;
  // What is over gets a new period, or none: its old one cannot come again.
  const times =
    phase === "past"
      ? { starts: "", ends: "" }
      : {
          starts: toLocalTime(known.starts_at, zone),
          ends: known.ends_at ? toLocalTime(known.ends_at, zone) : "",
        };
  return {
    ...empty,
    ...times,
    item: known.item_key,
    title: known.title ?? "",
    kind: percent === null ? "price" : "percent",
    amount: percent === null ? (price ?? "") : String(Number(percent)),
    announced: known.announced ? "yes" : "",
  };
}

/**
 * Reads the form, its item aside. A time that still says what the discount's own says in that zone is that one, to the
 * microsecond: neither a time that clocks show twice nor seconds that the form has no room for move by being saved.
 */
export function readDiscountForm(
  typed: TypedDiscount,
  known: KnownDiscount | undefined,
): { form: ReadForm; faults?: undefined } | { form?: undefined; faults: FieldErrors } {
  const faults: FieldErrors = {};
  const take = <T>(field: string, value: T | Refusal): T | undefined => {
    if (!(value instanceof Refusal)) return value;
    faults[field] = value.reason;
    return undefined;
  };
  const title = typed.title === "" ? null : take("title", readLine(typed.title, 300));
  const percent = typed.kind === "percent" ? take("amount", readAmount(typed, readPercent)) : null;
  const price = typed.kind === "price" ? take("amount", readAmount(typed, readDecimal)) : null;
  if (typed.kind !== "percent" && typed.kind !== "price") faults.kind = "must be percent or price";
  const zone = take("zone", zoneNamed(typed.zone) ?? new Refusal("must be the name of a time zone")) ?? "UTC";
  const starts = readTime(typed.starts, zone, known?.starts_at);
  const ends = readTime(typed.ends, zone, known?.ends_at);
  if (starts?.fault) faults.starts = starts.fault;
  if (ends?.fault) faults.ends = ends.fault;
  if (Object.keys(faults).length > 0) return { faults };
  const wish = {
    title: title ?? null,
    terms: { percent: percent ?? null, price: price ?? null },
    startsAt: starts?.at ?? null,
    endsAt: ends?.at ?? null,
    announced: typed.announced !== "",
  };
  return { form: { wish, zone, repeated: { starts: isRepeated(starts), ends: isRepeated(ends) } } };
}

/** The faults of a wish by the fields of this form, which has one for percent and price. */
export function faultsByField({ percent, price, starts, ends }: WishFaults): FieldErrors {
  const amount = percent ?? price;
  return { ...(amount && { amount }), ...(starts && { starts }), ...(ends && { ends }) };
}

function readAmount(typed: TypedDiscount, read: (value: unknown) => string | Refusal): string | Refusal {
  return typed.amount === "" ? new Refusal("is required") : read(typed.amount);
}

function readTime(text: string, zone: string, stored: Date | null | undefined): Moment | undefined {
  if (text === "") return undefined;
  if (stored && toLocalTime(stored, zone) === text.replace(" ", "T"))
    return { at: stored, isRepeated: false };
  return readLocalTime(text, zone);
}

function isRepeated(moment: Moment | undefined): boolean {
  return moment?.fault === undefined && moment?.isRepeated === true;
}

import type { Request } from "express";
import { typedText } from "../../http/form.ts";
import { zoneNamed } from "../../http/time-zones.ts";
import type { DiscountWish } from "../discount-plan.ts";
import type { KnownDiscount } from "../discount-queries.ts";
import { type Moment, readLocalTime, toLocalTime } from "../local-times.ts";
import type { Fault, WishFaults } from "../wish-faults.ts";
import { readReduction, readTitle } from "./refusals.ts";

const FIELDS = ["item", "title", "kind", "amount", "starts", "ends", "zone", "announced"] as const;

/** The form of a discount as it was typed; times are those that clocks of `zone` show. */
export type TypedDiscount = Record<(typeof FIELDS)[number], string>;

/** What is wrong with the form, by field. */
export type FormFaults = Partial<Record<(typeof FIELDS)[number], Fault>>;

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
): { form: ReadForm; faults?: undefined } | { form?: undefined; faults: FormFaults } {
  const { kind } = typed;
  const title = readTitle(typed.title);
  const amount = kind === "percent" || kind === "price" ? readReduction(typed.amount, kind) : undefined;
  const zone = zoneNamed(typed.zone);
  const starts = readTime(typed.starts, zone ?? "UTC", known?.starts_at);
  const ends = readTime(typed.ends, zone ?? "UTC", known?.ends_at);
  const faults = withoutBlanks({
    title: title.fault,
    amount: amount?.fault,
    kind: amount ? undefined : { key: "operator.fault.kind", values: {} },
    zone: zone === undefined ? { key: "operator.fault.zone", values: {} } : undefined,
    starts: starts?.fault,
    ends: ends?.fault,
  });
  if (zone === undefined || Object.keys(faults).length > 0) return { faults };
  const reduction = amount?.value ?? null;
  const wish = {
    title: title.value ?? null,
    terms: {
      percent: kind === "percent" ? reduction : null,
      price: kind === "price" ? reduction : null,
    },
    startsAt: starts?.at ?? null,
    endsAt: ends?.at ?? null,
    announced: typed.announced !== "",
  };
  return { form: { wish, zone, repeated: { starts: isRepeated(starts), ends: isRepeated(ends) } } };
}

/** The faults of a wish by the fields of this form, which has one for percent and price. */
export function faultsByField({ percent, price, starts, ends }: WishFaults): FormFaults {
  return withoutBlanks({ amount: percent ?? price, starts, ends });
}

function withoutBlanks(faults: { [Field in keyof FormFaults]: Fault | undefined }): FormFaults {
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
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

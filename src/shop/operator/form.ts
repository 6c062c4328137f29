import type { Request } from "express";
import { titledBy } from "../../records/shown-title.ts";
import { typedText } from "../../web/request/form.ts";
import { zoneNamed } from "../../web/request/time-zones.ts";
import { FALLBACK, LANGUAGES, type Language } from "../../words/i18n/languages.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { type DayEdge, type Moment, readLocalTime, toLocalTime } from "../../words/text/local-times.ts";
import type { DiscountErrors, DiscountInput, FieldError } from "../discount-plan.ts";
import type { KnownDiscount } from "../discount-queries.ts";
import { readReduction, readTitle } from "./refusals.ts";

const OTHER_FIELDS = ["item", "kind", "amount", "starts", "ends", "zone", "announced"] as const;

type TitleField = "title" | `title-${Language}`;
type Field = (typeof OTHER_FIELDS)[number] | TitleField;

/** A field of the title for each language of the site. */
export const TITLE_FIELDS = LANGUAGES.map((language): { name: TitleField; language: Language } => ({
  name: language === FALLBACK ? "title" : `title-${language}`,
  language,
}));

export const FIELDS: readonly Field[] = [...OTHER_FIELDS, ...TITLE_FIELDS.map(({ name }) => name)];

/** The form of a discount as typed; times are local in `zone`. */
export type TypedDiscount = Record<(typeof OTHER_FIELDS)[number] | "title", string> &
  Record<TitleField, string>;

export type FormErrors = Partial<Record<Field, FieldError>>;

export interface ReadForm {
  input: DiscountInput;
  zone: string;
  /** Whether clocks show the times twice; the first one counts. */
  repeated: { starts: boolean; ends: boolean };
}

/** The typed values, trimmed. */
export function typedDiscount(req: Request): TypedDiscount {
  const typed = typedText(req, FIELDS) as TypedDiscount;
  for (const field of FIELDS) typed[field] = (typed[field] ?? "").trim();
  return typed;
}

/** The zone, or UTC if the end falls into the year 10000 there: the input would be blank, which means no end. */
export function zoneFor({ ends_at }: KnownDiscount, zone: string): string {
  return ends_at !== null && toLocalTime(ends_at, zone).startsWith("+") ? "UTC" : zone;
}

/** The form as first shown, filled with a discount or empty. */
export function fillForm(known: KnownDiscount | undefined, zone: string, item = ""): TypedDiscount {
  const untitled = Object.fromEntries(TITLE_FIELDS.map(({ name }) => [name, ""]));
  const empty = {
    ...untitled,
    item,
    title: "",
    kind: "percent",
    amount: "",
    starts: "",
    ends: "",
    zone,
    announced: "",
  };
  if (!known) return empty;
  const { percent, price, phase } = known;
  // A past discount needs a new period, because its old one cannot recur.
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
    ...typedTitles(known),
    kind: percent === null ? "price" : "percent",
    amount: percent === null ? (price ?? "") : String(Number(percent)),
    announced: known.announced ? "yes" : "",
  };
}

/**
 * Reads the form except its item. An unedited time keeps its value, to the microsecond. So saving changes neither
 * hidden seconds nor times that clocks show twice.
 */
export function readDiscountForm(
  typed: TypedDiscount,
  known: KnownDiscount | undefined,
): { form: ReadForm; errors?: undefined } | { form?: undefined; errors: FormErrors } {
  const { kind } = typed;
  const { titled, errors: titleErrors } = readTitles(typed, known);
  const amount = kind === "percent" || kind === "price" ? readReduction(typed.amount, kind) : undefined;
  const zone = zoneNamed(typed.zone);
  const starts = readTime(typed.starts, zone ?? "UTC", "start", known?.starts_at);
  const ends = readTime(typed.ends, zone ?? "UTC", "end", known?.ends_at);
  const errors = withoutBlanks({
    ...titleErrors,
    amount: amount?.error,
    kind: amount ? undefined : lazyText("operator.error.kind"),
    zone: zone === undefined ? lazyText("operator.error.zone") : undefined,
    starts: starts?.error,
    ends: ends?.error,
  });
  if (zone === undefined || Object.keys(errors).length > 0) return { errors };
  const reduction = amount?.value ?? null;
  const input = {
    ...titled,
    terms: {
      percent: kind === "percent" ? reduction : null,
      price: kind === "price" ? reduction : null,
    },
    startsAt: starts?.at ?? null,
    endsAt: ends?.at ?? null,
    announced: typed.announced !== "",
  };
  return { form: { input, zone, repeated: { starts: isRepeated(starts), ends: isRepeated(ends) } } };
}

/** The titles of a discount by the fields of the form. One whose language is unknown is in the first. */
function typedTitles({ title, titles }: KnownDiscount): Record<TitleField, string> {
  const isKnown = Object.values(titles).includes(title ?? "");
  const typed = TITLE_FIELDS.map(({ name, language }) => [name, titles[language] ?? ""]);
  return { ...Object.fromEntries(typed), ...(!isKnown && { title: titles[FALLBACK] ?? title ?? "" }) };
}

/** Unedited titles, and those in languages that the site does not have, stay as they were. */
function readTitles(typed: TypedDiscount, known: KnownDiscount | undefined) {
  const read = TITLE_FIELDS.map(({ name, language }) => ({
    name,
    language,
    ...readTitle(typed[name] ?? ""),
  }));
  const errors: FormErrors = withoutBlanks(Object.fromEntries(read.map(({ name, error }) => [name, error])));
  const before = known && typedTitles(known);
  if (known && before && read.every(({ name, value }) => (value ?? "") === before[name]))
    return { titled: { title: known.title, titles: known.titles }, errors };
  const others = Object.entries(known?.titles ?? {}).filter(([tag]) => !LANGUAGES.includes(tag));
  const given = read.flatMap(({ language, value }) => (value ? [[language, value]] : []));
  return { titled: titledBy(Object.fromEntries([...given, ...others])), errors };
}

/** Errors by this form's fields: percent and price share one. */
export function errorsByField({ percent, price, starts, ends }: DiscountErrors): FormErrors {
  return withoutBlanks({ amount: percent ?? price, starts, ends });
}

function withoutBlanks(errors: { [Field in keyof FormErrors]: FieldError | undefined }): FormErrors {
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error !== undefined));
}

function readTime(
  text: string,
  zone: string,
  edge: DayEdge,
  stored: Date | null | undefined,
): Moment | undefined {
  if (text === "") return undefined;
  if (stored && toLocalTime(stored, zone) === text.replace(" ", "T"))
    return { at: stored, isRepeated: false };
  return readLocalTime(text, zone, edge);
}

function isRepeated(moment: Moment | undefined): boolean {
  return moment?.error === undefined && moment?.isRepeated === true;
}

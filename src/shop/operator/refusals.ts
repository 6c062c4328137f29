import { withPoint } from "../../records/prices/prices.ts";
import {
  PERCENT_SIGN,
  quote,
  Refusal,
  readDecimal,
  readLine,
  readPercent,
  toNumber,
} from "../../records/values.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { isBlank } from "../../words/text/visible.ts";

/** A value read by the importer's rules, with errors in the operator's language. */
export type Read<Value> = { value: Value; error?: undefined } | { value?: undefined; error: LazyText };

const TITLE_CHARACTERS = 300;

/** The title of a discount; null without one. */
export function readTitle(text: string): Read<string | null> {
  if (text === "") return { value: null };
  const value = readLine(text, TITLE_CHARACTERS);
  if (!(value instanceof Refusal)) return { value };
  if ([...text].length > TITLE_CHARACTERS)
    return { error: lazyText("operator.error.long", { max: TITLE_CHARACTERS }) };
  return { error: lazyText(isBlank(text) ? "operator.error.invisible" : "operator.error.control") };
}

/** The percent that a discount takes off (`25` or `25%`), or the price that it sets, with a decimal point or comma. */
export function readReduction(text: string, kind: "percent" | "price"): Read<string> {
  if (text === "") return { error: lazyText("input.required") };
  const number = withPoint(text);
  if (number === undefined) return { error: commaError(text) };
  const value = kind === "percent" ? readPercent(number) : readDecimal(number);
  const bare = kind === "percent" ? number.replace(PERCENT_SIGN, "") : number;
  return value instanceof Refusal ? { error: amountError(bare, text) } : { value };
}

/** Any number that a person types, with a decimal point or comma. */
export function readNumber(text: string): Read<number> {
  const number = withPoint(text);
  if (number === undefined) return { error: commaError(text) };
  const value = toNumber(number);
  return value === undefined
    ? { error: lazyText("operator.error.number", { value: quote(text) }) }
    : { value };
}

function commaError(text: string): LazyText {
  const whole = text.replace(",", "").replace(PERCENT_SIGN, "");
  return lazyText("operator.error.comma", { value: quote(text), whole });
}

function amountError(text: string, typed: string): LazyText {
  const values = { value: quote(typed) };
  if (!/^\d+(\.\d+)?$/.test(text)) return { key: "operator.error.number", values };
  if (/\.\d{2}\d*[1-9]/.test(text)) return { key: "operator.error.digits", values };
  const isPrice = !(readDecimal(text) instanceof Refusal);
  return { key: isPrice ? "operator.error.percent" : "operator.error.large", values };
}

import type { Said } from "../../i18n/said.ts";
import { quote, Refusal, readDecimal, readLine, readPercent } from "../../records/values.ts";
import { withPoint } from "../typed-number.ts";

/** What is read as the importer reads it, but refused in the words of a form, which has other languages too. */
export type Read<Value> = { value: Value; fault?: undefined } | { value?: undefined; fault: Said };

const TITLE_CHARACTERS = 300;

/** The title of a discount; null: none. */
export function readTitle(text: string): Read<string | null> {
  if (text === "") return { value: null };
  const value = readLine(text, TITLE_CHARACTERS);
  if (!(value instanceof Refusal)) return { value };
  if ([...text].length > TITLE_CHARACTERS)
    return { fault: { key: "operator.fault.long", values: { max: TITLE_CHARACTERS } } };
  const isVisible = /[^\p{Z}\p{Cc}\p{Cf}]/u.test(text);
  return { fault: { key: isVisible ? "operator.fault.control" : "operator.fault.invisible", values: {} } };
}

/** What a discount takes off in percent, or the price that it sets: a decimal text, whose point may be a comma. */
export function readReduction(text: string, kind: "percent" | "price"): Read<string> {
  if (text === "") return { fault: { key: "input.required", values: {} } };
  const number = withPoint(text);
  if (number === undefined) {
    return {
      fault: { key: "operator.fault.comma", values: { value: quote(text), whole: text.replace(",", "") } },
    };
  }
  const value = kind === "percent" ? readPercent(number) : readDecimal(number);
  return value instanceof Refusal ? { fault: amountFault(number, quote(text)) } : { value };
}

function amountFault(text: string, typed: string): Said {
  const values = { value: typed };
  if (!/^\d+(\.\d+)?$/.test(text)) return { key: "operator.fault.number", values };
  if (/\.\d{2}\d*[1-9]/.test(text)) return { key: "operator.fault.digits", values };
  const isPrice = !(readDecimal(text) instanceof Refusal);
  return { key: isPrice ? "operator.fault.percent" : "operator.fault.large", values };
}

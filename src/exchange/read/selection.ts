import type { z } from "zod";
import { SPACES, text } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import type { ApiRecord } from "./record.ts";

/** The fields that an answer is to have: `name`, or one attribute as `attributes.price`. */
export type Selection = readonly string[];

const LONGEST = 4_000;
const ATTRIBUTE = "attributes.";

/** The parameter `fields` for records of a schema: names with commas between them. */
export function fieldsParameter(schema: z.ZodObject) {
  const names = Object.keys(schema.shape);
  const isKnown = (field: string) =>
    names.includes(field) || (names.includes("attributes") && field.startsWith(ATTRIBUTE));
  return text(1, LONGEST)
    .transform((value): Selection => splitList(value))
    .refine(
      (fields) => fields.length > 0 && fields.every(isKnown),
      zodMessage("input.one_of", { values: names.join(", ") }),
    )
    .meta({ override: { type: "string", maxLength: LONGEST, pattern: patternOf(names) } })
    .optional();
}

/** What `splitList` and `isKnown` take together. */
function patternOf(names: readonly string[]): string {
  const fields = [...names, ...(names.includes("attributes") ? ["attributes\\.[^,\\u0000]*"] : [])];
  const [field, gap] = [`(?:${fields.join("|")})`, `[${SPACES},]*`];
  return `^${gap}${field}(?:[${SPACES}]*,${gap}${field})*${gap}$`;
}

/** The texts between commas, each once, without blank ones. */
export function splitList(value: string): string[] {
  const parts = value.split(",").map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ""))];
}

/** A record with the selected fields only, in the requested order. */
export function select(record: ApiRecord, selection: Selection | undefined): ApiRecord {
  if (selection === undefined) return record;
  const attributes = selection
    .filter((field) => field.startsWith(ATTRIBUTE))
    .map((field) => field.slice(ATTRIBUTE.length));
  const fields = new Set(selection.map((field) => (field.startsWith(ATTRIBUTE) ? "attributes" : field)));
  return Object.fromEntries(
    [...fields]
      .filter((field) => Object.hasOwn(record, field))
      .map((field) => {
        const isWhole = field !== "attributes" || selection.includes(field);
        return [field, isWhole ? record[field] : pick(record[field] as object, attributes)];
      }),
  );
}

function pick(values: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

import { z } from "zod";
import type { ReadContext } from "../../web/api/endpoint.ts";
import { csvLine } from "../../web/request/csv.ts";
import { languageTag, SPACES, text, wholeNumber } from "../../web/request/params.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { withoutKey } from "../../words/safe-urls.ts";
import { absoluteUrl } from "../../words/urls.ts";
import type { ApiRecord } from "./record.ts";

/** The fields that an answer is to have: `name`, or one attribute as `attributes.price`. */
export type Selection = readonly string[];

const LONGEST = 4_000;
const ATTRIBUTE = "attributes.";

/** A column: the names that lead from a record to its value. */
type Column = readonly string[];

/** Records that one answer has at most. */
export const RECORDS_AT_MOST = 200;
const CURSOR_LENGTH = 4_000;
/** A signature of 32 bytes and what it signs, in base64url (see signed-token.ts). */
const CURSOR = "^[A-Za-z0-9_-]{43,}$";

/** What every list takes, for records of a schema. */
export function pageParameters(schema: z.ZodObject) {
  return {
    limit: wholeNumber(1, RECORDS_AT_MOST).default(50),
    cursor: text(1, CURSOR_LENGTH)
      .regex(new RegExp(CURSOR), zodMessage("input.cursor"))
      .meta({ override: { type: "string", maxLength: CURSOR_LENGTH, pattern: CURSOR } })
      .optional(),
    fields: fieldsParameter(schema),
    lang: languageTag,
  };
}

/** The schemas of what every list answers, for records of a schema. */
export function pageFields(schema: z.ZodObject) {
  return {
    total: z.int().meta({ description: "The total of all pages." }),
    next: z.url().nullable().meta({ description: "The next page; null on the last one." }),
    records: z.array(partOf(schema)).meta({ description: "With `fields`, records have only these." }),
  };
}

const parts = new WeakMap<z.ZodObject, z.ZodObject>();

/** A record with some of its fields: the same schema for all lists of these records, so that OpenAPI has it once. */
function partOf(schema: z.ZodObject): z.ZodObject {
  const part = parts.get(schema) ?? schema.partial().meta({ id: `${schema.meta()?.id}Part` });
  parts.set(schema, part);
  return part;
}

/** The address of the next page, if there is one: the request's own, with the new cursor and without an API key. */
export function nextAddress(
  cursor: string | undefined,
  { url, baseUrl }: Pick<ReadContext, "url" | "baseUrl">,
): string | null {
  if (cursor === undefined) return null;
  const { pathname, searchParams } = new URL(withoutKey(url), baseUrl);
  searchParams.set("cursor", cursor);
  return absoluteUrl(baseUrl, `${pathname}?${searchParams}`);
}

/** The header that leads to the next page, for programs that follow links (RFC 8288). */
export function linkToNext({ next }: { next: string | null }): string | undefined {
  return next === null ? undefined : `<${next}>; rel="next"`;
}

/** The parameter `fields` for records of a schema: names with commas between them. */
function fieldsParameter(schema: z.ZodObject) {
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

/**
 * Records as a table with a heading (RFC 4180). A nested field becomes columns (`place.x`); names and attributes have
 * a column for each that some record has. Anything but text and numbers is JSON.
 */
export function recordsCsv(
  schema: z.ZodObject,
  records: readonly ApiRecord[],
  selection: Selection | undefined,
): string {
  const fields = selection ?? Object.keys(schema.shape);
  const columns = fields.flatMap((field) => columnsOf(schema, records, field));
  const head = csvLine(columns.map((column) => column.join(".")));
  const lines = records.map((record) => csvLine(columns.map((column) => cellOf(valueAt(record, column)))));
  return [head, ...lines].join("");
}

function columnsOf(schema: z.ZodObject, records: readonly ApiRecord[], field: string): Column[] {
  const type = schema.shape[field] as z.ZodType | undefined;
  // One attribute, whether or not a record has it.
  if (type === undefined) return [["attributes", field.slice("attributes.".length)]];
  const isLeftOut = !records.some((record) => record[field] !== undefined);
  return isLeftOut && type.safeParse(undefined).success ? [] : columnsIn(type, records, [field]);
}

function columnsIn(type: z.ZodType, records: readonly ApiRecord[], path: Column): Column[] {
  const inner = unwrapped(type);
  if (inner.def.type === "object") {
    const { shape } = inner as z.ZodObject;
    return Object.entries(shape).flatMap(([name, part]) =>
      columnsIn(part as z.ZodType, records, [...path, name]),
    );
  }
  if (inner.def.type !== "record") return [path];
  const keys = records.flatMap((record) => Object.keys(valueAt(record, path) ?? {}));
  return [...new Set(keys)].sort().map((key) => [...path, key]);
}

function unwrapped(type: z.ZodType): z.ZodType {
  const { innerType } = type.def as { innerType?: z.ZodType };
  return innerType ? unwrapped(innerType) : type;
}

function valueAt(record: ApiRecord, column: Column): unknown {
  return column.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    record,
  );
}

function cellOf(value: unknown): string | number {
  if (value === undefined || value === null) return "";
  if (typeof value === "string" || typeof value === "number") return value;
  // Pictures become their addresses.
  if (Array.isArray(value) && value.every(isPicture)) return value.map(({ url }) => url).join(" ");
  return JSON.stringify(value);
}

function isPicture(value: unknown): value is { url: string } {
  return typeof value === "object" && value !== null && "url" in value && typeof value.url === "string";
}

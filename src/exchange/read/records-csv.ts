import type { z } from "zod";
import { csvLine } from "../../web/request/csv.ts";
import type { ApiRecord } from "./record.ts";
import type { Selection } from "./selection.ts";

/** A column: the names that lead from a record to its value. */
type Column = readonly string[];

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

import type { ParseKeys } from "i18next";
import { z } from "zod";
import { quote, Refusal } from "../../../records/values.ts";
import { zodMessage } from "../../../words/i18n/lazy-text.ts";
import { isObject, parseJson } from "../../../words/text/json.ts";
import { readAttributes } from "./json-values.ts";

/** The schema of each adapter's options, by the adapter's name. */
export type OptionSchemas = Readonly<Record<string, { readonly options: z.ZodType }>>;

/** The fields as read; refused ones are zod's NEVER. */
interface AdapterFields {
  adapter: string | null;
  adapter_options: Record<string, unknown>;
}

/** An object, or its JSON text as in a CSV file. */
export function readAdapterOptions(value: unknown): Record<string, unknown> | Refusal {
  const given = typeof value === "string" ? parsed(value) : value;
  if (!isObject(given)) return new Refusal("refusals.options", { value: quote(value) });
  const text = readAttributes(given);
  return text instanceof Refusal ? text : given;
}

/** What is wrong with the adapter of a server and its options, by field. */
export function adapterErrors(
  { adapter, adapter_options: options }: AdapterFields,
  schemas: OptionSchemas,
): { path: PropertyKey[]; message: string }[] {
  const refused: unknown = z.NEVER;
  if (options === refused || adapter === refused) return [];
  if (adapter === null) {
    if (Object.keys(options).length === 0) return [];
    return [{ path: ["adapter_options"], message: zodMessage("refusals.options_alone") }];
  }
  const schema = Object.hasOwn(schemas, adapter) ? schemas[adapter] : undefined;
  if (!schema) {
    const known = Object.keys(schemas).join(", ");
    return [{ path: ["adapter"], message: zodMessage("refusals.one_of", { known, value: quote(adapter) }) }];
  }
  const issues = schema.options.safeParse(options).error?.issues ?? [];
  return issues.map((issue) => ({
    path: ["adapter_options", ...issue.path],
    message: explain(issue, options),
  }));
}

/** The adapters' own messages if they have some, else the same words as for other fields. */
function explain(issue: z.core.$ZodIssue, options: unknown): string {
  if (issue.code === "custom") return issue.message;
  if (issue.code === "unrecognized_keys")
    return zodMessage("refusals.no_option", { names: issue.keys.map((key) => quote(key)) });
  const found = valueAt(options, issue.path);
  if (found === undefined) return zodMessage("refusals.missing");
  const value = quote(found);
  if (issue.code === "too_big") return zodMessage("refusals.at_most", { max: Number(issue.maximum), value });
  if (issue.code === "too_small")
    return zodMessage("refusals.at_least", { min: Number(issue.minimum), value });
  const type = issue.code === "invalid_type" ? TYPES.get(issue.expected) : undefined;
  return zodMessage(type ?? "refusals.another", { value });
}

const TYPES = new Map<string, ParseKeys>([
  ["string", "refusals.text"],
  ["number", "refusals.number"],
  ["int", "refusals.whole_number"],
  ["boolean", "refusals.flag"],
  ["record", "refusals.object"],
]);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((inner: unknown, key) => (isObject(inner) ? inner[String(key)] : undefined), value);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

import { z } from "zod";
import { quote, Refusal } from "../../../records/values.ts";
import { parseJson } from "../../../words/text/json.ts";
import { isObject, readAttributes } from "./json-values.ts";

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
  if (!isObject(given))
    return new Refusal(`must be an object such as {"type":"gtasam"}, not ${quote(value)}`);
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
    return [{ path: ["adapter_options"], message: "are there, and no adapter that they are for" }];
  }
  const schema = Object.hasOwn(schemas, adapter) ? schemas[adapter] : undefined;
  if (!schema) {
    const known = Object.keys(schemas).join(" or ");
    return [{ path: ["adapter"], message: `must be ${known}, not ${quote(adapter)}` }];
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
  if (issue.code === "unrecognized_keys") return `has no option ${issue.keys.map(quote).join(", ")}`;
  const value = valueAt(options, issue.path);
  return value === undefined ? "is missing" : `${expected(issue)}, not ${quote(value)}`;
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "too_small") return `must be at least ${issue.minimum}`;
  if (issue.code !== "invalid_type") return "must be another value";
  return `must be ${TYPE_WORDS.get(issue.expected) ?? issue.expected}`;
}

const TYPE_WORDS = new Map<string, string>([
  ["string", "text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["record", "an object"],
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

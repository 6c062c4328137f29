import jsonpointer from "jsonpointer";
import { z } from "zod";
import { onAbort } from "../../../settings/timers.ts";
import { isFetchable } from "../../../web/egress/download.ts";
import type { EgressPolicy } from "../../../web/egress/policy.ts";
import { zodMessage } from "../../../words/i18n/lazy-text.ts";
import { parseJson } from "../../../words/text/json.ts";
import { type Adapter, type Answer, Miss, missOfOptions, toCount, toMiss } from "../adapter.ts";
import { download } from "./download.ts";
import { timeoutOption } from "./gamedig-options.ts";

/** RFC 6901, without `__proto__`, which would lead out of the document. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const pointer = z
  .string()
  .max(500)
  .refine((text) => POINTER.test(text), zodMessage("refusals.pointer"))
  .refine((text) => !text.split("/").includes("__proto__"), zodMessage("refusals.proto"));
const inside = pointer.min(1, zodMessage("refusals.inside"));

const jsonOptions = z
  .strictObject({
    url: z.string().max(2000).refine(isFetchable, zodMessage("refusals.fetchable")),
    timeout_ms: timeoutOption,
    list: pointer.optional(),
    where: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .refine((where) => Object.keys(where).length > 0, zodMessage("refusals.where"))
      .superRefine(checkPointers)
      .optional(),
    online: inside,
    queue: inside.optional(),
    max_online: inside.optional(),
    up: inside.optional(),
  })
  .refine(({ list, where }) => list === undefined || where !== undefined, {
    path: ["where"],
    message: zodMessage("refusals.where_missing"),
  });

type JsonOptions = z.infer<typeof jsonOptions>;

/** Not the record's key type, because zod would only report that a key is invalid. */
function checkPointers(where: object, context: z.RefinementCtx): void {
  for (const key of Object.keys(where)) {
    for (const { message } of inside.safeParse(key).error?.issues ?? []) {
      context.addIssue({ code: "custom", path: [key], message });
    }
  }
}

/** Servers that publish their figures as JSON over HTTP, alone or in a list of many. */
export const jsonAdapter: Adapter = {
  options: jsonOptions,

  groupOf: ({ id, options }) => (typeof options.url === "string" ? `json ${options.url}` : `json of ${id}`),

  async ask(targets, signal, egress) {
    const asked = targets.map((target) => ({ target, options: jsonOptions.safeParse(target.options) }));
    const valid = asked.flatMap(({ options }) => (options.success ? [options.data] : []));
    const document = await fetchDocument(valid, signal, egress).catch((error: unknown) => ({ error }));
    return new Map(
      asked.map(({ target, options }) => [
        target.id,
        options.success ? read(document, options.data) : missOfOptions(options.error),
      ]),
    );
  },
};

type Fetched = { readonly json: unknown } | { readonly error: unknown };

/** One fetch for all, within the longest of their time limits. */
async function fetchDocument(
  all: readonly JsonOptions[],
  signal: AbortSignal,
  egress: EgressPolicy,
): Promise<Fetched> {
  const [first] = all;
  if (!first) throw new Miss("nobody to ask");
  const over = new AbortController();
  const limitMs = Math.max(...all.map(({ timeout_ms }) => timeout_ms));
  const timer = setTimeout(() => over.abort(new Miss(`no answer within ${limitMs} ms`)), limitMs);
  const forget = onAbort(signal, () => over.abort(new Miss("the poll was stopped")));
  try {
    return { json: parse(await download(first.url, {}, { signal: over.signal, egress })) };
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Miss(`the answer is not JSON: ${JSON.stringify(text.slice(0, 60))}`);
  }
}

function read(document: Fetched, options: JsonOptions): Answer {
  if ("error" in document) return toMiss(document.error);
  try {
    return readFigures(find(document.json, options), options);
  } catch (error) {
    return toMiss(error);
  }
}

/** The element of the list that is this server; the whole document without `where`. */
function find(json: unknown, { list = "", where }: JsonOptions): unknown {
  if (where === undefined) return json;
  const elements = valueAt(json, list);
  if (typeof elements !== "object" || elements === null) throw new Miss(`there is no list at "${list}"`);
  const conditions = Object.entries(where);
  const matching = Object.values(elements).filter((element) =>
    conditions.every(([pointer, value]) => isSame(valueAt(element, pointer), value)),
  );
  if (matching.length === 1) return matching[0];
  const description = conditions.map(([pointer, value]) => `${pointer} = ${value}`).join(", ");
  throw new Miss(
    matching.length === 0
      ? `no element of the list has ${description}`
      : `${matching.length} elements of the list have ${description}`,
  );
}

/** Compares as text: lists may write the same id as a number or as text. */
function isSame(found: unknown, wanted: string | number | boolean): boolean {
  return (
    (typeof found === typeof wanted || typeof found === "number" || typeof found === "string") &&
    String(found) === String(wanted)
  );
}

function readFigures(element: unknown, { up, ...pointers }: JsonOptions): Answer {
  if (up !== undefined && !saysYes(valueAt(element, up))) throw new Miss(`${up} says that it is not up`);
  const [online, queue, max] = [pointers.online, pointers.queue, pointers.max_online].map((pointer) =>
    pointer === undefined ? undefined : valueAt(element, pointer),
  );
  // A JSON error message has no figures.
  if (online === undefined && max === undefined && queue === undefined) {
    throw new Miss(`the answer has nothing at ${pointers.online}`);
  }
  return {
    kind: "answered",
    figures: { online: toCount(online), bots: null, queue: toCount(queue), max_online: toCount(max) },
  };
}

function saysYes(value: unknown): boolean {
  return ["true", "1", "online", "up"].includes(String(value).toLowerCase());
}

/** Undefined if there is no such value. `/players/length` is the length of an array. */
function valueAt(json: unknown, pointer: string): unknown {
  if (typeof json !== "object" || json === null) return undefined;
  return jsonpointer.get(json, pointer);
}

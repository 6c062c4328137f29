import type { ParseKeys } from "i18next";
import { z } from "zod";
import {
  plainText,
  quote,
  Refusal,
  readAmount,
  readCount,
  readDecimal,
  readEndTime,
  readFlag,
  readId,
  readLine,
  readPercent,
  readProse,
  readTime,
  readUrl,
  readWord,
} from "../../../records/values.ts";
import { LAUNCHERS, WEB } from "../../../servers/links.ts";
import { type LazyText, lazyText, zodMessage } from "../../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../../words/kinds/kinds.ts";
import { isObject } from "../../../words/text/json.ts";
import type { ImportKind } from "../kinds.ts";
import { adapterErrors, type OptionSchemas, readAdapterOptions } from "./adapter-options.ts";
import { readAttributes, readNames } from "./json-values.ts";
import { readEntityKind, relation, relationId } from "./relation.ts";

/** Runs a check even if other fields are refused, so that all errors of a record are reported at once. */
const ALWAYS = { when: () => true };

/** Reports an error about several fields at one of them. */
function together(field: string) {
  return { path: [field], ...ALWAYS };
}

/** A field that may be missing; it is null then. */
function optional<T>(read: (value: unknown) => T | Refusal) {
  return z
    .unknown()
    .optional()
    .transform((value, context): T | null => {
      if (value === undefined || value === null) return null;
      const result = read(value);
      return result instanceof Refusal ? refuse(context, result.reason) : result;
    });
}

function required<T>(read: (value: unknown) => T | Refusal) {
  return z
    .unknown()
    .optional()
    .transform((value, context): T => {
      const result = value === undefined || value === null ? new Refusal("refusals.missing") : read(value);
      return result instanceof Refusal ? refuse(context, result.reason) : result;
    });
}

function refuse(context: z.RefinementCtx, reason: LazyText): never {
  context.addIssue({ code: "custom", message: JSON.stringify(reason) });
  return z.NEVER;
}

/** How far ahead the clock of the machine that measured may be. */
const CLOCK_SKEW_MS = 5 * 60_000;

const line = (max: number) => optional((value) => readLine(value, max));
const count = optional((value) => readCount(value));

const id = required(readId);
const name = required((value) => readLine(value, 300));
const category = line(100);
const description = optional(readDescription);
const price = optional(readDecimal);

const image = optional((value) => {
  if (typeof value === "string" && value.trim().startsWith("/")) return readSitePath(value.trim());
  const url = readUrl(value, WEB);
  return url instanceof Refusal ? new Refusal("refusals.or_site_path", { reason: url.reason }) : url;
});

function readDescription(value: unknown): string | Refusal {
  return readProse(value, 20_000);
}

function readServerUrl(value: unknown): string | Refusal {
  const url = readUrl(value, [...WEB, ...LAUNCHERS]);
  if (!(url instanceof Refusal)) return url;
  return new Refusal("refusals.or_launcher", { reason: url.reason, schemes: LAUNCHERS.join(" ") });
}

/** A picture that is in the store; never read from a record. */
const picture = z
  .string()
  .nullish()
  .transform((column) => column ?? null);

/** Texts by language: an object. */
function byLanguage(refusal: ParseKeys, read?: (text: unknown) => string | Refusal) {
  return z
    .unknown()
    .optional()
    .transform((value, context): Record<string, string> => {
      if (value === undefined || value === null) return {};
      if (!isObject(value)) return refuse(context, lazyText(refusal, { value: quote(value) }));
      const { names, refused } = readNames(value, read);
      for (const { key, refusal } of refused) {
        context.addIssue({ code: "custom", path: [key], message: JSON.stringify(refusal.reason) });
      }
      return names;
    });
}

const names = byLanguage("refusals.names_object");
const descriptions = byLanguage("refusals.texts_object", readDescription);
const titles = byLanguage("refusals.titles_object");

const attributes = optional((value) => {
  return isObject(value) ? readAttributes(value) : new Refusal("refusals.object", { value: quote(value) });
}).transform((text) => text ?? "{}");

const adapterOptions = optional(readAdapterOptions).transform((options) => options ?? {});

const currency = required((value) => {
  const word = readWord(value, 12);
  if (word instanceof Refusal) return word;
  if (/^[A-Z][A-Z0-9]{1,11}$/i.test(word)) return word.toUpperCase();
  return new Refusal("refusals.currency", { value: quote(value) });
});

const status = optional((value) => {
  const word = plainText(value).trim().toLowerCase();
  if (["online", "true", "1"].includes(word)) return "online";
  if (["offline", "false", "0"].includes(word)) return "offline";
  if (word === "unknown") return "unknown";
  return new Refusal("refusals.status", { value: quote(value) });
});

const checkedAt = optional((value) => {
  const time = readTime(value);
  if (time instanceof Refusal || Date.parse(time) <= Date.now() + CLOCK_SKEW_MS) return time;
  return new Refusal("refusals.future", { value: quote(value) });
});

/** The fields that entries of the catalogue and shop items have in common. */
const recordFields = { id, name, names, category, description, descriptions, image, picture, attributes };

const entry = z.object({ ...recordFields, popularity: optional(readAmount) });

const serverFields = z.object({
  id,
  name,
  game: line(100),
  address: optional((value) => readWord(value, 255)),
  url: optional(readServerUrl),
  language: line(60),
  description,
  descriptions,
  attributes,
  position: optional((value) => readCount(value, -1_000_000, 1_000_000)),
  group_name: line(100),
  adapter: optional((value) => readWord(value, 60)),
  adapter_options: adapterOptions,
  online: count,
  queue: count,
  max_online: count,
  status,
  checked_at: checkedAt,
});

const entityKind = optional(readEntityKind);

const donateItem = z
  .object({
    ...recordFields,
    price,
    currency,
    entity_kind: entityKind,
    entity_id: optional(readId),
  })
  .refine((row) => row.entity_id === null || row.entity_kind !== null, {
    ...together("entity_kind"),
    message: zodMessage("refusals.other_half", { other: "entity_id" }),
  })
  .refine((row) => row.entity_kind === null || row.entity_id !== null, {
    ...together("entity_id"),
    message: zodMessage("refusals.other_half", { other: "entity_kind" }),
  });

const discount = z
  .object({
    id,
    item_key: required(readId),
    title: line(300),
    titles,
    percent: optional(readPercent),
    price,
    starts_at: required(readTime),
    ends_at: optional(readEndTime),
    announced: optional(readFlag).transform((announced) => announced ?? false),
  })
  .refine((row) => row.percent !== null || row.price !== null, {
    ...together("percent"),
    message: zodMessage("refusals.no_reduction"),
  })
  .refine((row) => row.percent === null || row.price === null, {
    ...together("percent"),
    message: zodMessage("refusals.two_reductions"),
  })
  .refine((row) => !(isText(row.starts_at) && isText(row.ends_at) && row.ends_at <= row.starts_at), {
    ...together("ends_at"),
    message: zodMessage("refusals.ends"),
  });

/**
 * The schema of a record; its result has a value or null for every column.
 * @param adapters those that a server may name
 */
export function recordSchema(kind: ImportKind, adapters: OptionSchemas): z.ZodType<Row> {
  if (isCatalogueKind(kind)) return entry;
  if (kind === "discounts") return discount;
  if (kind === "relations") return relation;
  if (kind === "donate-items") return donateItem;
  return serverFields
    .superRefine((row, context) => {
      for (const error of adapterErrors(row, adapters)) context.addIssue({ code: "custom", ...error });
    }, ALWAYS)
    .transform(completeStatus)
    .transform((row) => ({ ...row, adapter_options: JSON.stringify(row.adapter_options) }));
}

/** The id of a record, even an invalid one; undefined if it has none. */
export function readRecordId(kind: ImportKind, fields: Record<string, unknown>): string | undefined {
  if (kind === "relations") return relationId(fields);
  const id = readId(fields.id);
  return id instanceof Refusal ? undefined : id;
}

/** Values by column, to be written as text. */
export type Row = { id: string } & Record<string, unknown>;

/** A server with counts answered, so it is online; the counts of one that did not answer are unknown. */
function completeStatus<T extends { status: string | null; online: number | null; queue: number | null }>(
  row: T,
): T {
  const counted = row.online !== null || row.queue !== null;
  const status = row.status ?? (counted ? "online" : null);
  return status === "online" ? { ...row, status } : { ...row, status, online: null, queue: null };
}

/** Refused fields are neither text nor null. */
function isText(value: unknown): value is string {
  return typeof value === "string";
}

function readSitePath(path: string): string | Refusal {
  const word = readWord(path, 2000);
  if (word instanceof Refusal) return word;
  const site = "http://site.invalid";
  return URL.parse(word, site)?.origin === site
    ? word
    : new Refusal("refusals.other_site", { value: quote(path) });
}

import { plainText } from "../../records/values.ts";
import type { Site } from "../../web/look/site.ts";
import type { ParameterError } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind, singularOf } from "../../words/kinds/kinds.ts";
import { isObject } from "../../words/text/json.ts";
import { fieldsOf, type ImportKind } from "../import/kinds.ts";
import { NOUNS } from "../read/kinds.ts";
import type { CurrentRecord } from "./current-queries.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a body, for `badInput`. */
export type WrongField = Pick<ParameterError, "param"> & { readonly message: ReturnType<typeof lazyText> };

/** What reads tell of a record that a write cannot change. They are taken and left out, so a read can be sent back. */
const TOLD_ONLY = ["kind", "labels", "place", "images", "url", "created_at", "updated_at"];
const TOLD_ONLY_OF: ReadonlyMap<ImportKind, readonly string[]> = new Map([
  ["servers", ["last_online_at", "bots", "peak_24h", "average_24h", "uptime_24h"]],
  ["donate-items", ["discount", "lows"]],
  ["discounts", ["price_before", "currency", "phase"]],
]);

/** A server's measurements are sent to an operation of their own. */
const MEASURED = ["online", "queue", "max_online", "status", "checked_at"];

/** What reads call by other names than imports, or tell as one. */
const TOLD_AS: ReadonlyMap<ImportKind, string> = new Map([
  ["servers", "website"],
  ["donate-items", "entry"],
]);

/** Fields that reads do not tell as they are: a PUT without them leaves them. */
const UNTOLD = ["image", "categories", "adapter", "adapter_options", "position", "group_name", "announced"];

/** The fields of a kind that a write may set. */
export function writableFields(kind: ImportKind): string[] {
  return fieldsOf(kind).filter((field) => kind !== "servers" || !MEASURED.includes(field));
}

/** The fields that a PUT empties where it does not have them. */
export function wholeFields(kind: ImportKind): string[] {
  return writableFields(kind).filter((field) => field !== "id" && !UNTOLD.includes(field));
}

/** What a PUT leaves where it does not name it. */
export function withoutWhole(current: CurrentRecord | undefined, kind: ImportKind): Record<string, unknown> {
  const whole = new Set(wholeFields(kind));
  return Object.fromEntries(Object.entries(current ?? {}).filter(([field]) => !whole.has(field)));
}

/** All members that a body may have. */
export function knownMembers(kind: ImportKind): string[] {
  const readOnly = kind === "relations" ? [] : [...TOLD_ONLY, ...(TOLD_ONLY_OF.get(kind) ?? [])];
  const measured = kind === "servers" ? MEASURED : [];
  const renamed = TOLD_AS.get(kind);
  return [...new Set([...writableFields(kind), ...(renamed ? [renamed] : []), ...readOnly, ...measured])];
}

/**
 * A body as a record of an import: an answer of a read, a record as in docs/import.md, or a mixture. Reports unknown
 * members instead of dropping them.
 * @param id from the address; undefined if the record has its own
 */
export function toImport(
  kind: ImportKind,
  body: Fields,
  id?: string,
): { fields: Record<string, unknown>; wrong: WrongField[] } {
  const known = new Set(knownMembers(kind));
  const wrong: WrongField[] = Object.keys(body)
    .filter((member) => !known.has(member))
    .map((member) => ({ param: member, message: lazyText("input.no_field", { kind }) }));
  wrong.push(...wrongPlace(kind, body, id), ...wrongEntry(kind, body));
  const allowed = new Set(writableFields(kind));
  const entries = Object.entries(body).filter(([member]) => allowed.has(member));
  const fields = { ...Object.fromEntries(entries), ...renamed(kind, body) };
  if (kind === "servers" && isReadOfServer(body)) {
    // The place in the list, and without `website` the page.
    delete fields.position;
    if (!("website" in body)) delete fields.url;
  }
  if (kind === "discounts" && isReadOfPercent(body)) delete fields.price;
  if (id !== undefined) fields.id = id;
  return { fields, wrong };
}

/** The kind and the id of a body, which must be those of the address. */
function wrongPlace(kind: ImportKind, body: Fields, id: string | undefined): WrongField[] {
  const word = toldKind(kind);
  const ofKind =
    word !== undefined && body.kind !== undefined && body.kind !== word
      ? [
          {
            param: "kind",
            message: lazyText("input.own_kind", { value: JSON.stringify(body.kind), kind: word }),
          },
        ]
      : [];
  const isOther = id !== undefined && body.id !== undefined && plainText(body.id) !== id;
  return isOther ? [...ofKind, { param: "id", message: lazyText("input.own_id") }] : ofKind;
}

/** Refuses an `entry` that cannot be read, because writing it would remove the link. */
function wrongEntry(kind: ImportKind, { entry, ...others }: Fields): WrongField[] {
  if (kind !== "donate-items" || entry === undefined) return [];
  const other = ["entity_kind", "entity_id"].find((field) => field in others);
  if (other) return [{ param: "entry", message: lazyText("input.not_beside", { other }) }];
  const isLink = isObject(entry) && (entry.kind ?? null) !== null && (entry.id ?? null) !== null;
  return entry === null || isLink ? [] : [{ param: "entry", message: lazyText("input.entry") }];
}

/** What reads say of the kind; a relation has a kind of its own. */
function toldKind(kind: ImportKind): string | undefined {
  if (isCatalogueKind(kind)) return singularOf(kind);
  return kind === "relations" ? undefined : NOUNS[kind];
}

function renamed(kind: ImportKind, body: Fields): Record<string, unknown> {
  if (kind === "servers" && "website" in body) return { url: body.website };
  if (kind === "donate-items" && "entry" in body) {
    const entry = isObject(body.entry) ? body.entry : undefined;
    return { entity_kind: entry?.kind ?? null, entity_id: entry?.id ?? null };
  }
  return {};
}

/** The member of a body that became a field of its import, as errors name it. */
export function memberOf(kind: ImportKind, body: Fields, field: string): string {
  if (kind === "servers" && field === "url" && "website" in body) return "website";
  if (kind === "donate-items" && "entry" in body) return field.replace(/^entity_/, "entry.");
  return field;
}

function isReadOfServer(body: Fields): boolean {
  return "uptime_24h" in body;
}

/** A read also has the price of an item under a percentage. */
function isReadOfPercent(body: Fields): boolean {
  return "price_before" in body && body.percent !== null && body.percent !== undefined;
}

/** Adds the attributes that the operator hides: who sends a read back has not seen them. */
export function keepHidden(
  fields: Record<string, unknown>,
  {
    kind,
    current,
    site,
  }: { kind: ImportKind; current: CurrentRecord | undefined; site: Pick<Site, "vocabulary"> },
): Record<string, unknown> {
  const there = current?.attributes;
  const { attributes } = fields;
  if (!isObject(there) || !(isObject(attributes) || attributes === null)) return fields;
  const words = isCatalogueKind(kind) ? site.vocabulary.of(kind) : site.vocabulary.shared;
  const hidden = Object.entries(there).filter(([key]) => words.isHidden(key));
  if (hidden.length === 0) return fields;
  return { ...fields, attributes: { ...Object.fromEntries(hidden), ...attributes } };
}

/** The whole record with a merge patch applied; a field that the patch removes is empty. */
export function patched(
  current: CurrentRecord | undefined,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const merged = mergePatch(current ?? {}, patch) as Record<string, unknown>;
  const removed = Object.keys(patch).filter((field) => !Object.hasOwn(merged, field));
  return { ...merged, ...Object.fromEntries(removed.map((field) => [field, null])) };
}

/** A JSON value with a merge patch applied (RFC 7396, section 2): objects are merged, null removes, all else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // From entries: assigning to a key "__proto__" would set the prototype.
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

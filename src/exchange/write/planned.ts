import type { Site } from "../../web/http/site.ts";
import { gone, HttpError, notFound } from "../../web/pages/errors.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { ImportKind } from "../import/kinds.ts";
import { missingOf } from "../read/kinds.ts";
import type { CurrentRecord } from "./current-queries.ts";
import { toImport, type WrongField, wholeFields } from "./fields.ts";
import { isJsonObject, mergePatch } from "./merge-patch.ts";
import type { SingleWrite } from "./write.ts";

/** What a write meets. */
export interface Found {
  readonly current: CurrentRecord | undefined;
  /** When the record was removed; undefined: it is there, or never was. */
  readonly removedAt: Date | undefined;
  /** True if `If-Match` names the current record; called only if there is one. */
  readonly isMatch: boolean;
}

/** What a write is refused with because of what it meets: 404, 410 or 412. */
export function refuseWrite(
  { method, kind, ifMatch, createOnly }: SingleWrite,
  { current, removedAt, isMatch }: Found,
): HttpError | undefined {
  if (ifMatch !== undefined && !(current && isMatch))
    return new HttpError("preconditionFailed", lazyText("errors.detail.no_match"));
  if (createOnly && current)
    return new HttpError("preconditionFailed", lazyText("errors.detail.there_already"));
  if (method === "PUT" || current) return undefined;
  return removedAt ? gone(removedAt) : notFound(missingOf(kind));
}

/** The record to import for a PUT or PATCH, and what is wrong with the body. */
export function planFields(
  { method, kind, id, body = {}, site }: SingleWrite,
  current: CurrentRecord | undefined,
): { readonly fields: Record<string, unknown>; readonly wrong: readonly WrongField[] } {
  const { fields, wrong } = toImport(kind, body, id);
  if (method === "PATCH") return { fields: patched(current, fields), wrong };
  const empty = Object.fromEntries(wholeFields(kind).map((field) => [field, null]));
  const kept = withoutWhole(current, kind);
  return { fields: keepHidden({ ...empty, ...kept, ...fields }, { kind, current, site }), wrong };
}

/** The whole record with a merge patch applied; a field that the patch removes is empty. */
function patched(
  current: CurrentRecord | undefined,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const merged = mergePatch(current ?? {}, patch) as Record<string, unknown>;
  const removed = Object.keys(patch).filter((field) => !Object.hasOwn(merged, field));
  return { ...merged, ...Object.fromEntries(removed.map((field) => [field, null])) };
}

/** What a PUT leaves where it does not name it. */
function withoutWhole(current: CurrentRecord | undefined, kind: ImportKind): Record<string, unknown> {
  const whole = new Set(wholeFields(kind));
  return Object.fromEntries(Object.entries(current ?? {}).filter(([field]) => !whole.has(field)));
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
  if (!isJsonObject(there) || !(isJsonObject(attributes) || attributes === null)) return fields;
  const words = isCatalogueKind(kind) ? site.vocabulary.of(kind) : site.vocabulary.shared;
  const hidden = Object.entries(there).filter(([key]) => words.isHidden(key));
  if (hidden.length === 0) return fields;
  return { ...fields, attributes: { ...Object.fromEntries(hidden), ...attributes } };
}

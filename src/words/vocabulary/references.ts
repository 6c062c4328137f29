import { lazyText, zodMessage } from "../i18n/lazy-text.ts";
import { BUILT_IN_KINDS, type CatalogueKind } from "../kinds/kinds.ts";
import { isObject } from "../text/json.ts";
import type { AttributeWords } from "./attribute-schema.ts";
import { nearestName } from "./nearest-name.ts";

/** One entry that a value names: by its id, or by its name where no entry has that id. */
export interface Said {
  readonly said: string;
  /** How many; null where the value does not tell. */
  readonly count: number | null;
}

/** An attribute that names entries of another kind. */
export interface ReferenceAttribute {
  readonly kind: CatalogueKind;
  readonly key: string;
  readonly toKind: CatalogueKind;
  readonly isList: boolean;
  readonly idField: string;
  readonly countField: string;
}

type Typed = Pick<AttributeWords, "type" | "kind" | "id" | "count">;

/** How an attribute names entries; undefined: it does not. */
export function referenceOf({
  type,
  kind,
  id = "id",
  count = "count",
}: Typed): Omit<ReferenceAttribute, "kind" | "key"> | undefined {
  if ((type !== "entry" && type !== "entries") || kind === undefined) return undefined;
  return { toKind: kind as CatalogueKind, isList: type === "entries", idField: id, countField: count };
}

/**
 * The entries that a value names, each once: an id or a name, a list of them, or of objects with an id and how many. One
 * that is named several times counts as many. `references_in` of the database reads values in the same way.
 */
export function referencesIn(
  value: unknown,
  { isList, idField, countField }: Pick<ReferenceAttribute, "isList" | "idField" | "countField">,
): Said[] {
  const found = new Map<string, number | null>();
  for (const part of splitValue(value, isList)) {
    const fields = isObject(part) ? part : undefined;
    const said = readText(fields ? fieldOf(fields, idField) : part);
    if (said === undefined) continue;
    const count = fields ? readCount(fieldOf(fields, countField)) : null;
    const before = found.get(said);
    found.set(said, before === undefined ? count : Math.min((before ?? 1) + (count ?? 1), MOST));
  }
  return [...found].map(([said, count]) => ({ said, count }));
}

const LONGEST = 300;
const MOST = 1e12;

function splitValue(value: unknown, isList: boolean): unknown[] {
  if (Array.isArray(value)) return value;
  return isList && typeof value === "string" ? value.split(",") : [value];
}

function fieldOf(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined;
}

function readText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.replace(/^[ \t\n\r\f\v]+|[ \t\n\r\f\v]+$/g, "");
  return text === "" || [...text].length > LONGEST ? undefined : text;
}

function readCount(value: unknown): number | null {
  const isFigure = typeof value === "string" && /^\d{1,13}(\.\d{1,6})?$/.test(value);
  const number = isFigure ? Number(value) : value;
  return typeof number === "number" && number > 0 && number <= MOST ? number : null;
}

type Attributes = Readonly<Record<string, { kind?: string | undefined }>>;

interface Named {
  readonly attributes?: Attributes | undefined;
  readonly kinds?: Readonly<Record<string, { attributes?: Attributes | undefined } | undefined>> | undefined;
}

/** What is wrong with the kinds whose entries attributes name, and where: there may be none of that name. */
export function mistakesOfReferences({
  attributes,
  kinds = {},
}: Named): { path: string[]; message: string }[] {
  const known = [...new Set([...BUILT_IN_KINDS, ...Object.keys(kinds)])];
  const places = [
    { path: ["attributes"], attributes },
    ...Object.entries(kinds).map(([kind, words]) => {
      return { path: ["kinds", kind, "attributes"], attributes: words?.attributes };
    }),
  ];
  return places.flatMap(({ path, attributes = {} }) =>
    Object.entries(attributes).flatMap(([key, { kind }]) => {
      if (kind === undefined || known.includes(kind)) return [];
      const meant = nearestName(kind, known);
      const perhaps =
        meant === undefined
          ? ""
          : lazyText("operator.vocabulary.mistake.perhaps", { name: JSON.stringify(meant) });
      const message = zodMessage("operator.vocabulary.mistake.no_kind", {
        name: JSON.stringify(kind),
        perhaps,
        known: known.join(", "),
      });
      return [{ path: [...path, key, "kind"], message }];
    }),
  );
}

import { z } from "zod";
import type { ImportKind } from "../import/kinds.ts";
import { isCatalogueKind } from "../kinds/kinds.ts";
import { knownMembers, writableFields } from "./fields.ts";

const text = z.string().nullable();
const number = z.union([z.number(), z.string()]).nullable();
const byLanguage = z.record(z.string(), text).nullable();
/** Texts of several languages at once, or one. */
const texts = z.union([z.string(), z.record(z.string(), text)]).nullable();
const anyObject = z.record(z.string(), z.unknown()).nullable();
const id = z.union([z.string(), z.number()]);

/** The fields of all kinds, as docs/import.md describes them. */
const FIELDS: Readonly<Record<string, z.ZodType>> = {
  id,
  name: text,
  names: byLanguage,
  category: texts,
  categories: byLanguage,
  description: texts.meta({ description: "Markdown." }),
  descriptions: byLanguage,
  image: text.meta({ description: "An address, or a path of this site." }),
  attributes: anyObject.meta({ description: "Replaced as a whole by PUT, merged by PATCH." }),
  popularity: number,
  price: number,
  currency: text,
  entity_kind: text,
  entity_id: id.nullable(),
  game: text,
  address: text,
  url: text,
  language: text,
  position: number,
  adapter: text,
  adapter_options: anyObject,
  item_key: id,
  title: texts,
  titles: byLanguage,
  percent: number,
  starts_at: id,
  ends_at: id.nullable(),
  announced: z.union([z.boolean(), z.string(), z.number()]).nullable(),
  from: text,
  from_kind: text,
  from_id: id.nullable(),
  kind: text,
  to: text,
  to_kind: text,
  to_id: id.nullable(),
  count: number,
  chance: number,
  website: text.meta({ description: "The server’s own site." }),
  entry: anyObject.meta({
    description: "The entry of the catalogue that it is or unlocks: `kind` and `id`.",
  }),
};

const NAMES = {
  servers: "ServerBody",
  "donate-items": "ShopItemBody",
  discounts: "DiscountBody",
  relations: "RelationBody",
} as const;

const made = new Map<string, z.ZodType>();

/** What a record may be sent as: the fields of an import, and what reads of it tell, which is left out. */
export function bodySchema(kind: ImportKind): z.ZodType {
  const name = isCatalogueKind(kind) ? "EntryBody" : NAMES[kind];
  const known = made.get(name) ?? makeSchema(kind).meta({ id: name });
  made.set(name, known);
  return known;
}

function makeSchema(kind: ImportKind) {
  const writable = new Set([...writableFields(kind), "website", "entry"]);
  const members = knownMembers(kind).map((member): [string, z.ZodType] => {
    const isOwn = writable.has(member) && !(member === "kind" && kind !== "relations");
    const schema = isOwn ? (FIELDS[member] ?? z.unknown()) : z.unknown().meta({ readOnly: true });
    return [member, schema.optional()];
  });
  return z.strictObject(Object.fromEntries(members));
}

/** What a batch is answered. */
export const batchAnswer = z
  .object({
    dry_run: z.boolean().meta({ description: "Nothing was written." }),
    records: z.int().meta({ description: "The sum of the next three." }),
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    warnings: z.array(z.string()).meta({ description: "What is odd about records that were taken." }),
  })
  .meta({ id: "BatchAnswer" });

import { z } from "zod";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { ImportKind } from "../import/kinds.ts";
import { knownMembers, writableFields } from "./fields.ts";

const NUMBER_TAKEN = "A number is accepted as its text.";
const BY_LANGUAGE = "An object of texts by language is accepted as well.";

const text = z.string().nullable();
const number = z.number().nullable().meta({ description: "Digits as text are accepted as well." });
const byLanguage = z.record(z.string(), text).nullable();
/** One text. */
const texts = text.meta({ description: BY_LANGUAGE });
const anyObject = z.record(z.string(), z.unknown()).nullable();
const id = z.string().meta({ description: NUMBER_TAKEN });
const time = z.string().meta({ description: "An ISO 8601 time or day, or the seconds since 1970." });

/**
 * The fields of all kinds, as docs/import.md describes them. Each has one type, mostly that of reads, because client
 * generators cannot use several; the descriptions say what else an import accepts.
 */
const FIELDS: Readonly<Record<string, z.ZodType>> = {
  id,
  name: text,
  names: byLanguage,
  category: texts,
  categories: byLanguage,
  description: text.meta({ description: `Markdown. ${BY_LANGUAGE}` }),
  descriptions: byLanguage,
  image: text.meta({ description: "An address, or a path of this site." }),
  attributes: anyObject.meta({ description: "Replaced as a whole by PUT, merged by PATCH." }),
  popularity: number,
  price: text.meta({ description: `An amount such as 12.50. ${NUMBER_TAKEN}` }),
  currency: text,
  entity_kind: text,
  entity_id: id.nullable(),
  game: text,
  address: text,
  url: text,
  language: text,
  position: number,
  group_name: text.meta({ description: "The list of servers has a heading for each group." }),
  adapter: text,
  adapter_options: anyObject,
  item_key: id,
  title: texts,
  titles: byLanguage,
  percent: number,
  starts_at: time,
  ends_at: time.nullable(),
  announced: z
    .boolean()
    .nullable()
    .meta({ description: "The import's words for yes and no are accepted as well." }),
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
    description: "The catalogue entry that the item is or unlocks: `kind` and `id`.",
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
    warnings: z.array(z.string()).meta({ description: "Doubts about accepted records." }),
  })
  .meta({ id: "BatchAnswer" });

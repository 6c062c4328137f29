import type { FacetValue } from "../../catalogue/facets.ts";
import { readAttributeFacts } from "../../catalogue/facets-queries.ts";
import type { Db } from "../../db/connect.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { isObject } from "../../words/text/json.ts";
import { wordsAt } from "./edit-text.ts";
import type { Words } from "./fields.ts";
import { listKinds, type Part, rootOf } from "./parts.ts";
import { listHeldAttributes, listHeldCategories } from "./queries.ts";

/** An attribute of the records or of the file; `present` is 0 if only the file has it. */
export interface ListedAttribute {
  readonly key: string;
  readonly present: number;
  readonly examples: string[];
  readonly values: readonly { readonly value: string; readonly present: number }[];
}

/** The content of a part's form. */
export interface Listing {
  readonly attributes: readonly ListedAttribute[];
  readonly groups: readonly string[];
  readonly categories: readonly { readonly category: string; readonly present: number }[];
}

/** Everything that can have a label: first what the records have, then what only the file has. */
export async function listPart(db: Db, part: Part, words: Words): Promise<Listing> {
  if (part === "categories") {
    const held = await listHeldCategories(db);
    const known = new Set(held.map(({ category }) => category));
    const others = namesIn(wordsAt(words, ["categories"])).filter((name) => !known.has(name));
    const categories = [...held, ...others.map((category) => ({ category, present: 0 }))];
    return { attributes: [], groups: [], categories };
  }
  const root = rootOf(part);
  const inFile = wordsAt(words, [...root, "attributes"]);
  const held = merged(await Promise.all(listKinds(part).map((kind) => readHeld(db, kind))));
  const known = new Set(held.map(({ key }) => key));
  const others = namesIn(inFile)
    .filter((key) => !known.has(key))
    .map((key) => ({ key, present: 0, examples: [], values: [] }));
  return {
    attributes: [...held, ...others].map((attribute) => withFileValues(attribute, inFile)),
    groups: namesIn(wordsAt(words, [...root, "groups"])),
    categories: [],
  };
}

async function readHeld(db: Db, kind: CatalogueKind): Promise<ListedAttribute[]> {
  const [held, { facts }] = await Promise.all([listHeldAttributes(db, kind), readAttributeFacts(db, kind)]);
  const byKey = new Map(facts.map((fact) => [fact.key, fact]));
  return held.map(({ key, present, first, last }) => {
    const fact = byKey.get(key);
    const range = fact && fact.type === "number" ? [fact.min, fact.max].map(String) : [first, last];
    const examples = [...new Set(range.filter((text) => text !== null))];
    const isNamed = fact !== undefined && fact.type !== "number" && fact.longest <= LONGEST_NAMED;
    return { key, present, examples, values: isNamed ? (fact.values ?? []).map(counted) : [] };
  });
}

/** Longer texts are sentences rather than values with a label. */
const LONGEST_NAMED = 60;

function counted([value, present]: [FacetValue, number]): { value: string; present: number } {
  return { value: String(value), present };
}

/** For several kinds: the attributes of all of them. */
function merged(lists: readonly ListedAttribute[][]): ListedAttribute[] {
  const byKey = new Map<string, ListedAttribute>();
  for (const attribute of lists.flat()) {
    const known = byKey.get(attribute.key);
    byKey.set(attribute.key, known ? joined(known, attribute) : attribute);
  }
  return [...byKey.values()].sort((a, b) => b.present - a.present || (a.key < b.key ? -1 : 1));
}

function joined(one: ListedAttribute, other: ListedAttribute): ListedAttribute {
  const values = new Map(one.values.map(({ value, present }) => [value, present]));
  for (const { value, present } of other.values) values.set(value, present + (values.get(value) ?? 0));
  return {
    key: one.key,
    present: one.present + other.present,
    examples: [...new Set([...one.examples, ...other.examples])].slice(0, 3),
    values: [...values].map(([value, present]) => ({ value, present })),
  };
}

function withFileValues(attribute: ListedAttribute, inFile: Words): ListedAttribute {
  const known = new Set(attribute.values.map(({ value }) => value));
  const named = namesIn(wordsAt(inFile, [attribute.key, "values"])).filter((value) => !known.has(value));
  return { ...attribute, values: [...attribute.values, ...named.map((value) => ({ value, present: 0 }))] };
}

function namesIn(words: unknown): string[] {
  return isObject(words) ? Object.keys(words) : [];
}

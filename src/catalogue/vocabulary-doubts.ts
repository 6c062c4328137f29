import type { Db } from "../db/connect.ts";
import { type CatalogueKind, catalogueKinds } from "../kinds/kinds.ts";
import { findUnknown } from "../relations/reference-queries.ts";
import { nearestName } from "../vocabulary/nearest-name.ts";
import type { AttributeWords, VocabularyFile } from "../vocabulary/schema.ts";
import { Vocabulary } from "../vocabulary/vocabulary.ts";
import { listAttributes, listCategoryWords } from "./vocabulary-queries.ts";

/** What a vocabulary names and no record has, a line each; the nearest name that there is, where one is near. */
export async function findDoubts(db: Db, file: VocabularyFile): Promise<string[]> {
  const lists = await Promise.all(
    catalogueKinds().map(async (kind) => [kind, await listAttributes(db, kind)] as const),
  );
  const ofKind = new Map(lists);
  const ofAny = joined([
    ...lists.map(([, attributes]) => attributes),
    await listAttributes(db, "donate_items"),
  ]);
  const kinds = Object.entries(file.kinds ?? {}) as [
    CatalogueKind,
    NonNullable<typeof file.kinds>[CatalogueKind],
  ][];
  return [
    ...doubtsOf("attributes", file.attributes, ofAny, "no record"),
    ...kinds.flatMap(([kind, words]) => {
      const known = ofKind.get(kind);
      // A kind that no process has started with has no table yet.
      if (!known) return [];
      const where = `kinds.${kind}.attributes`;
      return [
        ...doubtsOf(where, words?.attributes, known, `none of the ${kind}`),
        ...(words?.tint !== undefined && !known.has(words.tint)
          ? [
              `kinds.${kind}.tint: none of the ${kind} has ${quote(words.tint)}${perhaps(words.tint, [...known.keys()])}`,
            ]
          : []),
      ];
    }),
    ...(await doubtfulReferences(db, file, ofKind)),
    ...(await doubtfulCategories(db, file)),
  ];
}

/** The values of several kinds by attribute; none where one kind's are not known. */
function joined(lists: readonly ReadonlyMap<string, string[]>[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const [key, values] of lists.flatMap((list) => [...list])) {
    const known = all.get(key) ?? values;
    all.set(key, known.length === 0 || values.length === 0 ? [] : [...new Set([...known, ...values])]);
  }
  return all;
}

function doubtsOf(
  where: string,
  attributes: Record<string, AttributeWords> | undefined,
  known: ReadonlyMap<string, string[]>,
  nobody: string,
): string[] {
  return Object.entries(attributes ?? {}).flatMap(([key, { values = {} }]) => {
    const there = known.get(key);
    if (there === undefined)
      return [`${where}: ${nobody} has ${quote(key)}${perhaps(key, [...known.keys()])}`];
    // A long list is cut, and lists are not looked into: then nothing is certain.
    if (there.length === 0 || there.length >= 200) return [];
    return Object.keys(values)
      .filter((value) => !there.includes(value))
      .map((value) => `${where}.${key}.values: ${nobody} has ${quote(value)}${perhaps(value, there)}`);
  });
}

/** What attributes name of another kind and nobody has, of the records that have such an attribute. */
async function doubtfulReferences(
  db: Db,
  file: VocabularyFile,
  ofKind: ReadonlyMap<CatalogueKind, ReadonlyMap<string, string[]>>,
): Promise<string[]> {
  const held = new Vocabulary([file])
    .references()
    .filter(({ kind, key, toKind }) => ofKind.get(kind)?.has(key) === true && ofKind.has(toKind));
  const found = await Promise.all(held.map(async (each) => ({ ...each, ...(await findUnknown(db, each)) })));
  return found
    .filter(({ unknown }) => unknown > 0)
    .map(({ kind, key, toKind, unknown, examples }) => {
      const named = `${unknown} of what its values name ${unknown === 1 ? "is" : "are"} none of the ${toKind}`;
      const such = unknown > examples.length ? ", such as" : ":";
      return `kinds.${kind}.attributes.${key}: ${named}${such} ${examples.map(quote).join(", ")}`;
    });
}

async function doubtfulCategories(db: Db, { categories = {} }: VocabularyFile): Promise<string[]> {
  const lists = await Promise.all(
    ([...catalogueKinds(), "donate_items"] as const).map((table) => listCategoryWords(db, table)),
  );
  const known = lists.flat();
  return Object.keys(categories)
    .filter((category) => !known.includes(category))
    .map((category) => `categories: no record has ${quote(category)}${perhaps(category, known)}`);
}

function perhaps(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return meant === undefined ? "" : `; perhaps ${quote(meant)} is meant`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

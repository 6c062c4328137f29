import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import { findUnknown } from "../records/relations/reference-queries.ts";
import { type LazyText, lazyText, type Translatable } from "../words/i18n/lazy-text.ts";
import { type CatalogueKind, catalogueKinds } from "../words/kinds/kinds.ts";
import type { AttributeWords } from "../words/vocabulary/attribute-schema.ts";
import { nearestName } from "../words/vocabulary/nearest-name.ts";
import type { VocabularyFile } from "../words/vocabulary/schema.ts";
import { Vocabulary } from "../words/vocabulary/vocabulary.ts";

/** How many records of a large kind are sampled. */
const LOOKED_AT = 50_000;

type Table = CatalogueKind | "donate_items";

/** The vocabulary's entries without a record, a line each, with the nearest existing name if there is one. */
export async function findVocabularyWarnings(db: Db, file: VocabularyFile): Promise<Translatable[]> {
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
    ...listDoubts("attributes", file.attributes, ofAny),
    ...kinds.flatMap(([kind, words]) => {
      const known = ofKind.get(kind);
      // A kind has no table until a process has started with it.
      if (!known) return [];
      const where = `kinds.${kind}.attributes`;
      return [
        ...listDoubts(where, words?.attributes, known, kind),
        ...(words?.tint !== undefined && !known.has(words.tint)
          ? [doubt(`kinds.${kind}.tint`, words.tint, known.keys(), kind)]
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

function listDoubts(
  where: string,
  attributes: Record<string, AttributeWords> | undefined,
  known: ReadonlyMap<string, string[]>,
  kind?: CatalogueKind,
): Translatable[] {
  return Object.entries(attributes ?? {}).flatMap(([key, { values = {} }]) => {
    const there = known.get(key);
    if (there === undefined) return [doubt(where, key, known.keys(), kind)];
    // A long list is cut, and lists are not looked into: then nothing is certain.
    if (there.length === 0 || there.length >= 200) return [];
    return Object.keys(values)
      .filter((value) => !there.includes(value))
      .map((value) => doubt(`${where}.${key}.values`, value, there, kind));
  });
}

/** References of records to missing entries of another kind. */
async function doubtfulReferences(
  db: Db,
  file: VocabularyFile,
  ofKind: ReadonlyMap<CatalogueKind, ReadonlyMap<string, string[]>>,
): Promise<Translatable[]> {
  const held = new Vocabulary([file])
    .references()
    .filter(({ kind, key, toKind }) => ofKind.get(kind)?.has(key) === true && ofKind.has(toKind));
  const found = await Promise.all(held.map(async (each) => ({ ...each, ...(await findUnknown(db, each)) })));
  return found
    .filter(({ unknown }) => unknown > 0)
    .map(({ kind, key, toKind, unknown, examples }) => [
      `kinds.${kind}.attributes.${key}:`,
      lazyText("operator.vocabulary.doubt.reference", {
        figure: unknown,
        kind: toKind,
        names:
          examples.map((name) => JSON.stringify(name)).join(", ") + (unknown > examples.length ? ", …" : ""),
      }),
    ]);
}

async function doubtfulCategories(db: Db, { categories = {} }: VocabularyFile): Promise<Translatable[]> {
  const lists = await Promise.all(
    ([...catalogueKinds(), "donate_items"] as const).map((table) => listCategoryWords(db, table)),
  );
  const known = lists.flat();
  return Object.keys(categories)
    .filter((category) => !known.includes(category))
    .map((category) => doubt("categories", category, known));
}

/** That no record has a name; `kind`: none of this kind. */
function doubt(where: string, name: string, known: Iterable<string>, kind?: CatalogueKind): Translatable {
  const values = { name: JSON.stringify(name), perhaps: perhaps(name, [...known]) };
  return [
    `${where}:`,
    kind === undefined
      ? lazyText("operator.vocabulary.doubt.record", values)
      : lazyText("operator.vocabulary.doubt.kind", { ...values, kind }),
  ];
}

function perhaps(name: string, known: readonly string[]): LazyText | string {
  const meant = nearestName(name, known);
  return meant === undefined
    ? ""
    : lazyText("operator.vocabulary.doubt.perhaps", { name: JSON.stringify(meant) });
}

/** The attributes that records of a kind or of the shop have, with the different texts of each, at most 200 a key. */
async function listAttributes(db: Db, table: Table): Promise<Map<string, string[]>> {
  const rows = await selectRows<{ key: string; values: string[] }>(
    db,
    `with looked as (select attributes from ${table} limit ${LOOKED_AT}),
     held as (select distinct key, case when jsonb_typeof(value) in ('array', 'object') then null else value #>> '{}' end as value
                from looked, jsonb_each(attributes))
     select key, (array_agg(value order by value) filter (where char_length(value) <= 100))[1:200] as values
       from held group by key`,
  );
  return new Map(rows.map(({ key, values }) => [key, values ?? []]));
}

/** The categories of a table, at most 1,000. */
async function listCategoryWords(db: Db, table: Table): Promise<string[]> {
  return db(table).distinct("category").whereNotNull("category").limit(1_000).pluck("category");
}

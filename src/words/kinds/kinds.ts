import type { Translate } from "../i18n/translator.ts";
import { isHidden, OTHER_SECTIONS } from "./hidden-sections.ts";
import { ownKinds } from "./own-kinds.ts";
import type { Trait, Traits } from "./traits.ts";

/** The traits of every built-in kind; one of the operator's may lack them. */
const EVERYWHERE = { isSearched: true, isFavorite: true, hasFeed: true } as const;

/**
 * The built-in kinds, in the site's order. Each is also a path, a table made by `add_catalogue_kind`, a block of
 * texts (`kinds.<kind>`), a colour (badge.css) and a file of demo records.
 */
export const KINDS = {
  items: { one: "item", ...EVERYWHERE, hasSearchEndpoint: true, isCompared: true },
  vehicles: { one: "vehicle", ...EVERYWHERE, hasSearchEndpoint: true, isCompared: true },
  scripts: { one: "script", ...EVERYWHERE, hasSearchEndpoint: true },
  houses: { one: "house", ...EVERYWHERE, isPlaced: true },
  businesses: { one: "business", ...EVERYWHERE, isPlaced: true },
} as const satisfies Record<string, Traits>;

/** A kind that is built in, by the noun of its path. The interface's fixed endpoints know only these. */
export type BuiltInKind = keyof typeof KINDS;

/**
 * A kind of the operator's own, such as `quests`. What its name is, nobody knows before the site runs: types call all
 * of them `own`, as is the block of texts (`kinds.own`) that theirs are made from. No kind is really called that.
 */
type OwnKind = "own";

/** A kind by the noun of its path. */
export type CatalogueKind = BuiltInKind | OwnKind;

/** What users report mistakes of. */
export type ReportedKind = CatalogueKind | "donate-items";

type BuiltInWith<T extends Trait> = {
  [Kind in BuiltInKind]: (typeof KINDS)[Kind] extends { [Name in T]: true } ? Kind : never;
}[BuiltInKind];

/** The kinds that have a trait; each of the operator's may. */
type KindWith<T extends Trait> = BuiltInWith<T> | OwnKind;

export type CompareKind = KindWith<"isCompared">;
export type MapKind = KindWith<"isPlaced">;

/** The name of one record of a kind in the interface. */
export type EntityKind = (typeof KINDS)[BuiltInKind]["one"] | OwnKind;

export const BUILT_IN_KINDS = Object.keys(KINDS) as BuiltInKind[];
/** What `/api/search` answers, and which kinds have an endpoint of their own. */
export const API_SEARCH_KINDS = BUILT_IN_KINDS.filter((kind) =>
  has(kind, "hasSearchEndpoint"),
) as BuiltInWith<"hasSearchEndpoint">[];
/** What `/api/entity_favorites/toggle` takes; `/api/entry_favorites/toggle` takes every kind that can be a favorite. */
export const API_FAVORITE_KINDS = [KINDS.items.one, KINDS.houses.one, KINDS.businesses.one] as const;

/** The kinds of the site, without those that are switched off: the built-in ones, then the operator's. */
export function catalogueKinds(): CatalogueKind[] {
  return storedKinds().filter((kind) => !isHidden(kind));
}

/** All kinds that have a table, also those that the site does not show. */
export function storedKinds(): CatalogueKind[] {
  return [...BUILT_IN_KINDS, ...ownKinds().map(({ kind }) => kind as OwnKind)];
}

/** What operators can switch off. */
export function listSections(): string[] {
  return [...storedKinds(), ...OTHER_SECTIONS];
}

/** All kinds that have a trait. */
export function kindsWith<T extends Trait>(trait: T): KindWith<T>[] {
  return catalogueKinds().filter((kind): kind is KindWith<T> => has(kind, trait));
}

/** The name of one record of a kind in the interface: `item` of `items`. */
export function singularOf(kind: CatalogueKind): EntityKind {
  return traitsOf(kind)?.one as EntityKind;
}

/** The noun of what a report is about, for the API. */
export function reportedNoun(kind: ReportedKind): string {
  return kind === "donate-items" ? "donate_item" : singularOf(kind);
}

/** The names of one record of all kinds. */
export function entityKinds(): EntityKind[] {
  return catalogueKinds().map(singularOf);
}

/** The names of one record of the kinds whose records can be favorites. */
export function favoriteKinds(): EntityKind[] {
  return kindsWith("isFavorite").map(singularOf);
}

/** True if a kind has a trait. */
export function has<T extends Trait>(kind: CatalogueKind, trait: T): kind is KindWith<T> {
  return traitsOf(kind)?.[trait] === true && !(trait === "isPlaced" && isHidden("map"));
}

/** True if a word is a built-in kind. */
export function isBuiltInKind(word: string): word is BuiltInKind {
  return Object.hasOwn(KINDS, word);
}

/** True if a word is a kind. */
export function isCatalogueKind(word: string): word is CatalogueKind {
  return traitsOf(word) !== undefined;
}

/** The kind that has this name for one record. */
export function kindBySingular(word: EntityKind): CatalogueKind;
export function kindBySingular(word: string | null): CatalogueKind | undefined;
export function kindBySingular(word: string | null): CatalogueKind | undefined {
  return catalogueKinds().find((kind) => singularOf(kind) === word);
}

/** A value for each kind that the search's endpoints cover. */
export function byApiSearchKind<Value>(
  make: (kind: (typeof API_SEARCH_KINDS)[number]) => Value,
): Record<(typeof API_SEARCH_KINDS)[number], Value> {
  return Object.fromEntries(API_SEARCH_KINDS.map((kind) => [kind, make(kind)])) as Record<
    (typeof API_SEARCH_KINDS)[number],
    Value
  >;
}

function traitsOf(kind: string): Traits | undefined {
  if (isBuiltInKind(kind)) return KINDS[kind];
  return ownKinds().find((own) => own.kind === kind);
}

/** A kind of records of the API, as its paths and an import name it. */
export type RecordKind = CatalogueKind | "servers" | "donate-items" | "discounts" | "relations";

/** What readers call the records of a kind. */
export function recordsName(kind: RecordKind, t: Translate): string {
  if (isCatalogueKind(kind) || kind === "servers") return t(`kinds.${kind}.many`);
  return t(kind === "donate-items" ? "docs.kind.donate_items" : `docs.kind.${kind}`);
}

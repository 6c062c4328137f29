/** What the rest of the code has to know of a kind. */
interface Traits {
  /** The name of one record in the interface, as in `entity_kind`. */
  readonly one: string;
  /** The site's search covers it. */
  readonly isSearched?: true;
  /** Its records can be compared side by side. */
  readonly isCompared?: true;
  /** Users can make its records favorites. */
  readonly isFavorite?: true;
  /** Its records have a place on the map. */
  readonly isPlaced?: true;
  /** It has a feed of additions and changes. */
  readonly hasFeed?: true;
}

/**
 * The kinds of the catalogue, in the order in which the site lists them. Each is also a path, a table made by
 * `add_catalogue_kind`, a block of texts (`kinds.<kind>`), a colour (badge.css) and a file of demo records.
 */
export const KINDS = {
  items: { one: "item", isSearched: true, isCompared: true, isFavorite: true, hasFeed: true },
  vehicles: { one: "vehicle", isSearched: true, isCompared: true },
  scripts: { one: "script", isSearched: true },
  houses: { one: "house", isFavorite: true, isPlaced: true },
  businesses: { one: "business", isFavorite: true, isPlaced: true },
} as const satisfies Record<string, Traits>;

type Trait = Exclude<keyof Traits, "one">;

/** A kind by the noun of its path. */
export type CatalogueKind = keyof typeof KINDS;

/** The kinds that have a trait. */
type KindWith<T extends Trait> = {
  [Kind in CatalogueKind]: (typeof KINDS)[Kind] extends { [Name in T]: true } ? Kind : never;
}[CatalogueKind];

export type SearchKind = KindWith<"isSearched">;
export type CompareKind = KindWith<"isCompared">;
export type MapKind = KindWith<"isPlaced">;
export type FeedKind = KindWith<"hasFeed">;

/** The name of one record of a kind in the interface. */
export type EntityKind = (typeof KINDS)[CatalogueKind]["one"];
/** The same for kinds whose records can be favorites. */
export type FavoriteKind = (typeof KINDS)[KindWith<"isFavorite">]["one"];

export const CATALOGUE_KINDS = Object.keys(KINDS) as CatalogueKind[];
export const SEARCH_KINDS = kindsWith("isSearched");
export const COMPARE_KINDS = kindsWith("isCompared");
export const MAP_KINDS = kindsWith("isPlaced");
export const FEED_KINDS = kindsWith("hasFeed");
export const FAVORITE_KINDS: FavoriteKind[] = kindsWith("isFavorite").map((kind) => KINDS[kind].one);

/** A value for each kind that the search covers. */
export function bySearchKind<Value>(make: (kind: SearchKind) => Value): Record<SearchKind, Value> {
  return Object.fromEntries(SEARCH_KINDS.map((kind) => [kind, make(kind)])) as Record<SearchKind, Value>;
}

/** Whether a kind has a trait. */
export function has<T extends Trait>(kind: CatalogueKind, trait: T): kind is KindWith<T> {
  return trait in KINDS[kind];
}

/** Whether a word is a kind. */
export function isCatalogueKind(word: string): word is CatalogueKind {
  return Object.hasOwn(KINDS, word);
}

/** The kind that has this name for one record. */
export function kindOf(word: FavoriteKind): KindWith<"isFavorite">;
export function kindOf(word: EntityKind): CatalogueKind;
export function kindOf(word: string | null): CatalogueKind | undefined;
export function kindOf(word: string | null): CatalogueKind | undefined {
  return CATALOGUE_KINDS.find((kind) => KINDS[kind].one === word);
}

function kindsWith<T extends Trait>(trait: T): KindWith<T>[] {
  return CATALOGUE_KINDS.filter((kind): kind is KindWith<T> => has(kind, trait));
}

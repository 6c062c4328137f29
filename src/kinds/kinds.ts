/** What the rest of the code has to know of a kind. */
interface Traits {
  /** What the interface calls one record, as in `entity_kind`. */
  readonly one: string;
  /** The search of the whole site covers it. */
  readonly isSearched: boolean;
  /** Its records can be compared side by side. */
  readonly isCompared: boolean;
  /** Users can make its records favorites. */
  readonly isFavorite: boolean;
  /** Its records lie somewhere in the game's world, and so on a map. */
  readonly isPlaced: boolean;
  /** It has a feed of what was added and changed. */
  readonly hasFeed: boolean;
}

/**
 * The catalogue's kinds, in the order in which the site lists them. Each is also a path, a table that
 * `add_catalogue_kind` makes, a block of texts (`kinds.<kind>`), a colour (badge.css) and a file of demo records.
 */
export const KINDS = {
  items: {
    one: "item",
    isSearched: true,
    isCompared: true,
    isFavorite: true,
    isPlaced: false,
    hasFeed: true,
  },
  vehicles: {
    one: "vehicle",
    isSearched: true,
    isCompared: true,
    isFavorite: false,
    isPlaced: false,
    hasFeed: false,
  },
  scripts: {
    one: "script",
    isSearched: true,
    isCompared: false,
    isFavorite: false,
    isPlaced: false,
    hasFeed: false,
  },
  houses: {
    one: "house",
    isSearched: false,
    isCompared: false,
    isFavorite: true,
    isPlaced: true,
    hasFeed: false,
  },
  businesses: {
    one: "business",
    isSearched: false,
    isCompared: false,
    isFavorite: true,
    isPlaced: true,
    hasFeed: false,
  },
} as const satisfies Record<string, Traits>;

type Trait = Exclude<keyof Traits, "one">;

/** A kind by the noun of its path. */
export type CatalogueKind = keyof typeof KINDS;

/** The kinds that have a trait. */
export type KindWith<T extends Trait> = {
  [Kind in CatalogueKind]: (typeof KINDS)[Kind][T] extends true ? Kind : never;
}[CatalogueKind];

export type SearchKind = KindWith<"isSearched">;
export type CompareKind = KindWith<"isCompared">;
export type MapKind = KindWith<"isPlaced">;
export type FeedKind = KindWith<"hasFeed">;

/** What one record of a kind is called in the interface. */
export type EntityKind = (typeof KINDS)[CatalogueKind]["one"];
/** The same for kinds whose records can be favorites. */
export type FavoriteKind = (typeof KINDS)[KindWith<"isFavorite">]["one"];

export const CATALOGUE_KINDS = Object.keys(KINDS) as CatalogueKind[];
export const SEARCH_KINDS = kindsWith("isSearched");
export const COMPARE_KINDS = kindsWith("isCompared");
export const MAP_KINDS = kindsWith("isPlaced");
export const FEED_KINDS = kindsWith("hasFeed");
export const FAVORITE_KINDS: FavoriteKind[] = kindsWith("isFavorite").map((kind) => KINDS[kind].one);

/** Whether a kind has a trait. */
export function has<T extends Trait>(kind: CatalogueKind, trait: T): kind is KindWith<T> {
  return KINDS[kind][trait];
}

/** Whether a word is a kind. */
export function isCatalogueKind(word: string): word is CatalogueKind {
  return Object.hasOwn(KINDS, word);
}

/** The kind whose records the interface calls by this word. */
export function kindOf(word: FavoriteKind): KindWith<"isFavorite">;
export function kindOf(word: EntityKind): CatalogueKind;
export function kindOf(word: string | null): CatalogueKind | undefined;
export function kindOf(word: string | null): CatalogueKind | undefined {
  return CATALOGUE_KINDS.find((kind) => KINDS[kind].one === word);
}

function kindsWith<T extends Trait>(trait: T): KindWith<T>[] {
  return CATALOGUE_KINDS.filter((kind): kind is KindWith<T> => has(kind, trait));
}

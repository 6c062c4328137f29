/** What the rest of the code has to know of a kind. */
export interface Traits {
  /** The name of one record in the interface, as in `entity_kind`. */
  readonly one: string;
  /** The site's search covers it. */
  readonly isSearched?: true;
  /** The interface has a search of its own for it, and `/api/search` covers it. */
  readonly hasSearchEndpoint?: true;
  /** Its records can be compared side by side. */
  readonly isCompared?: true;
  /** Users can make its records favorites. */
  readonly isFavorite?: true;
  /** Its records have a place on the map. */
  readonly isPlaced?: true;
  /** It has a feed of additions and changes. */
  readonly hasFeed?: true;
}

export type Trait = Exclude<keyof Traits, "one">;

/** A kind that the operator's vocabulary defines. */
export interface OwnKindTraits extends Traits {
  /** Its path, its table, and its name for an import. */
  readonly kind: string;
  /** The drawing that stands for it, see glyphs.ts. */
  readonly glyph: string;
}

import { isHidden } from "./hidden-sections.ts";
import { type CatalogueKind, type EntityKind, kindsWith, singularOf } from "./kinds.ts";

/**
 * What the site's search covers in addition to the catalogue, in the order of its results; each has texts
 * (`kinds.<kind>`).
 */
const OTHER_KINDS = {
  servers: { one: "server" },
  shop: { one: "shop_item" },
  pages: { one: "page" },
} as const;

export type OtherKind = keyof typeof OTHER_KINDS;

/** Whatever the site's search finds: records of the catalogue and the rest. */
export type SearchableKind = CatalogueKind | OtherKind;

/** What has an index: kinds of the catalogue too that only their own lists search. */
export type IndexedKind = CatalogueKind | OtherKind;

/** The names of one in an answer of the search. */
export type SearchableSingular = EntityKind | (typeof OTHER_KINDS)[OtherKind]["one"];

export const OTHER_KIND_NAMES = Object.keys(OTHER_KINDS) as OtherKind[];

/** All that the site's search finds, in the order of its results. */
export function searchableKinds(): SearchableKind[] {
  return [...kindsWith("isSearched"), ...OTHER_KIND_NAMES].filter((kind) => !isHidden(kind));
}

/** True if a kind is outside the catalogue. */
export function isOtherKind(kind: string): kind is OtherKind {
  return Object.hasOwn(OTHER_KINDS, kind);
}

/** The name of one in an answer: `item` of `items`, `shop_item` of `shop`. */
export function searchableSingular(kind: IndexedKind): SearchableSingular {
  return isOtherKind(kind) ? OTHER_KINDS[kind].one : singularOf(kind);
}

import type { ParseKeys } from "i18next";
import type { CatalogueKind, CompareKind } from "../urls.ts";

/** The catalogue's kinds in the order in which the site lists them; each is a table, a path and a folder of words. */
export const CATALOGUE_KINDS = [
  "items",
  "vehicles",
  "scripts",
  "houses",
  "businesses",
] as const satisfies CatalogueKind[];

/** How pages call one entry of a kind and several of them, as keys of texts: `t(KIND_WORDS[kind].many)`. */
export const KIND_WORDS = {
  items: { one: "catalogue.kinds.items.one", many: "catalogue.kinds.items.many" },
  vehicles: { one: "catalogue.kinds.vehicles.one", many: "catalogue.kinds.vehicles.many" },
  scripts: { one: "catalogue.kinds.scripts.one", many: "catalogue.kinds.scripts.many" },
  houses: { one: "catalogue.kinds.houses.one", many: "catalogue.kinds.houses.many" },
  businesses: { one: "catalogue.kinds.businesses.one", many: "catalogue.kinds.businesses.many" },
} as const satisfies Record<CatalogueKind, Record<"one" | "many", ParseKeys>>;

/** What one entry is called where a kind is named by one word: `entity_kind` of a shop's item. */
export const ENTRY_WORDS = {
  items: "item",
  vehicles: "vehicle",
  scripts: "script",
  houses: "house",
  businesses: "business",
} as const satisfies Record<CatalogueKind, string>;
export type EntityKind = (typeof ENTRY_WORDS)[CatalogueKind];

/** The kinds that can be favorites, with the word that the interface uses for `kind`. */
export const ENTITY_KINDS = { items: "item", houses: "house", businesses: "business" } as const;

/** The kinds whose entries stand side by side on the page that compares. */
export function isComparable(kind: CatalogueKind): kind is CompareKind {
  return kind === "items" || kind === "vehicles";
}

import type { CatalogueKind } from "../urls.ts";

/** The catalogue's kinds in the order in which the site lists them; each is a table, a path and a folder of words. */
export const CATALOGUE_KINDS = [
  "items",
  "vehicles",
  "scripts",
  "houses",
  "businesses",
] as const satisfies CatalogueKind[];

/** How pages call one entry and several of them. */
export const KIND_LABELS: Record<CatalogueKind, { one: string; many: string }> = {
  items: { one: "Item", many: "Items" },
  vehicles: { one: "Vehicle", many: "Vehicles" },
  scripts: { one: "Script", many: "Scripts" },
  houses: { one: "House", many: "Houses" },
  businesses: { one: "Business", many: "Businesses" },
};

/** The kinds that can be favorites, with the word that the interface uses for `kind`. */
export const ENTITY_KINDS = { items: "item", houses: "house", businesses: "business" } as const;

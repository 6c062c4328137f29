import type { CatalogueKind } from "./kinds.ts";

/** Records that have pictures: those of the catalogue, and the items of the shop. */
export type ThumbKind = CatalogueKind | "shop";

const GLYPHS: Readonly<Record<ThumbKind, string>> = {
  items: "box",
  vehicles: "car",
  scripts: "code",
  houses: "house",
  businesses: "shop",
  shop: "gift",
};

/** The drawing of public/img/icons.svg that stands for a kind. */
export function glyphOf(kind: ThumbKind): string {
  return GLYPHS[kind];
}

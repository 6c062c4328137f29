import type { BuiltInKind, CatalogueKind } from "./kinds.ts";
import { ownKinds } from "./own-kinds.ts";
import type { OtherKind } from "./searchable-kinds.ts";

/** Records that have pictures: those of the catalogue, and the items of the shop. */
export type ThumbKind = CatalogueKind | "shop";

/** What drawings stand for: kinds of records without pictures too. */
export type DrawnKind = ThumbKind | OtherKind;

/** The drawings of public/img/icons.svg that an operator can give categories. */
export const CATEGORY_GLYPHS = [
  "armour",
  "axe",
  "bike",
  "book",
  "boots",
  "bow",
  "box",
  "car",
  "clock",
  "code",
  "coin",
  "flame",
  "flask",
  "gear",
  "gem",
  "gift",
  "gloves",
  "gun",
  "hammer",
  "helmet",
  "house",
  "key",
  "leaf",
  "map",
  "moon",
  "paw",
  "person",
  "plane",
  "potion",
  "ring",
  "scroll",
  "shield",
  "ship",
  "shirt",
  "shop",
  "skull",
  "star",
  "sun",
  "sword",
  "tag",
  "trophy",
  "wrench",
  "place-cabin",
  "place-clothes",
  "place-drinks",
  "place-flats",
  "place-food",
  "place-groceries",
  "place-hotel",
  "place-sport",
  "place-villa",
  "place-weapons",
  "place-works",
] as const;

/** A drawing that stands for a record without a picture, and the class of its colour if it has one of its own. */
export interface Glyph {
  readonly name: string;
  readonly tint?: string | undefined;
}

const GLYPHS = {
  items: "box",
  vehicles: "car",
  scripts: "code",
  houses: "house",
  businesses: "shop",
  shop: "gift",
} as const satisfies Readonly<Record<BuiltInKind | "shop", string>>;

/** The drawings of other kinds that the search finds. */
const DRAWN: Readonly<Record<BuiltInKind | OtherKind, string>> = {
  ...GLYPHS,
  servers: "screen",
  pages: "link",
};

/** The drawings of public/img/icons.svg that an operator's kind can have; the first one serves where none is named. */
export const OWN_GLYPHS = [
  "bookmark",
  "scroll",
  "person",
  "shirt",
  "sword",
  "shield",
  "book",
  "trophy",
  "paw",
  "gem",
  "key",
  "flask",
  "map",
  "star",
  ...new Set(Object.values(GLYPHS)),
] as const;

/** The drawing of public/img/icons.svg that stands for a kind. */
export function glyphOf(kind: DrawnKind): string {
  if (Object.hasOwn(DRAWN, kind)) return DRAWN[kind as BuiltInKind | OtherKind];
  return ownKinds().find((own) => own.kind === kind)?.glyph ?? OWN_GLYPHS[0];
}

import { glyphOf } from "../../words/kinds/glyphs.ts";
import type { MapKind } from "../../words/kinds/kinds.ts";

/** Drawings of public/img/icons.svg by the words of categories that they stand for, in English and Russian. */
const GLYPHS: readonly (readonly [glyph: string, words: RegExp])[] = [
  ["place-villa", /mansion|villa|estate|особняк|вилл/i],
  ["place-flats", /flat|apartment|condo|penthouse|квартир/i],
  ["place-cabin", /trailer|cabin|caravan|hut\b|трейлер|хижин|домик/i],
  ["place-weapons", /weapon|gun|ammu|оруж/i],
  ["place-food", /restaurant|food|diner|cafe|café|pizza|burger|ресторан|кафе|еда/i],
  ["place-drinks", /\bbars?\b|\bpubs?\b|club|бар(?![а-яё])|клуб/i],
  ["place-hotel", /casino|hotel|motel|казино|отел|гостиниц/i],
  ["place-groceries", /market|grocer|24\/7|store|магазин|маркет|продукт/i],
  ["place-clothes", /cloth|style|barber|tattoo|одежд|стил|парикмахер/i],
  ["place-sport", /gym|sport|leisure|спорт|досуг/i],
  ["place-works", /transport|industr|garage|\bcars?\b|petrol|\bgas\b|транспорт|промышл|гараж|заправ/i],
];

/**
 * The name of the drawing for a category on maps, or the kind's own for a category without one. `own` is the
 * operator's.
 */
export function placeGlyph(kind: MapKind, category: string | null, own?: string): string {
  if (own !== undefined) return own;
  const [glyph] = GLYPHS.find(([, words]) => category !== null && words.test(category)) ?? [];
  return glyph ?? glyphOf(kind);
}

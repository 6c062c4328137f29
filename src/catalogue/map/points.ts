import { placeGlyph } from "../../records/small-map/glyph.ts";
import { priceLimits, priceStep } from "../../records/small-map/price-steps.ts";
import type { Locale } from "../../web/request/locale.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { MapKind } from "../../words/kinds/kinds.ts";
import { withQuery } from "../../words/urls.ts";
import { tintClass } from "../../words/vocabulary/tint.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { attributeText } from "../attributes.ts";
import type { Point } from "./point.ts";
import type { PlacedEntry } from "./queries.ts";

/** The limits of the price steps of a map, by the entries drawn on it. */
export function limitsOf(entries: readonly PlacedEntry[]): readonly number[] {
  return priceLimits(entries.flatMap(({ price }) => price ?? []));
}

export function stepOf({ price }: PlacedEntry, limits: readonly number[]): number | undefined {
  return price === undefined || limits.length === 0 ? undefined : priceStep(price, limits);
}

/** An entry as the map and its list show it; `limits` are those of the map's price steps. */
export function pointOf(
  entry: PlacedEntry,
  kind: MapKind,
  limits: readonly number[],
  locale: Pick<Locale, "language" | "format" | "t"> & { vocabulary: Vocabulary },
): Point {
  const { language, vocabulary } = locale;
  const own = entry.category === null ? {} : vocabulary.categoryLook(entry.category);
  const { id, category, place, price } = entry;
  return {
    id,
    ...localName(entry, language),
    category,
    glyph: placeGlyph(kind, category, own.glyph),
    tint: own.colour === undefined ? undefined : tintClass(own.colour),
    x: place.x,
    y: place.y,
    price: price === undefined ? undefined : priceText(price, kind, locale),
    step: stepOf(entry, limits),
  };
}

/** A price as the pages of the kind write it. */
export function priceText(
  price: number,
  kind: MapKind,
  { vocabulary, ...locale }: Pick<Locale, "language" | "format" | "t"> & { vocabulary: Vocabulary },
): string {
  return attributeText("price", price, { ...locale, vocabulary: vocabulary.of(kind) });
}

/** The address of one view of a map; omits defaults. */
export function mapAddress(
  path: string,
  { category, at, page = 1 }: { category?: string; at?: string; page?: number },
): string {
  return withQuery(path, { category, at, page: page === 1 ? undefined : page });
}

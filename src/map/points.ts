import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import type { Bounds } from "../look-settings.ts";
import type { Place } from "../records/place.ts";
import { withQuery } from "../urls.ts";
import type { Point } from "./point.ts";
import type { PlacedEntry } from "./queries.ts";
import { isOnMap } from "./static-map.ts";

export function pointOf(
  entry: PlacedEntry,
  bounds: Bounds,
  { language, format }: Pick<Locale, "language" | "format">,
): Point {
  const { id, category, place, price } = entry;
  return {
    id,
    ...localName(entry, language),
    category,
    x: place.x,
    y: place.y,
    position: positionText(place),
    price: price === undefined ? undefined : format.number(price),
    isOutside: !isOnMap(bounds, place),
  };
}

/** The address of one view of a map; omits defaults. */
export function mapAddress(
  path: string,
  { category, at, page = 1 }: { category?: string; at?: string; page?: number },
): string {
  return withQuery(path, { category, at, page: page === 1 ? undefined : page });
}

/** Not localised, because players copy the coordinates into the game. */
function positionText({ x, y }: Place): string {
  return [x, y].map((value) => String(Math.round(value * 10) / 10 + 0)).join(", ");
}

import type { Db } from "../db/connect.ts";
import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, has } from "../kinds/kinds.ts";
import { type Place, placeOf } from "../records/place.ts";
import { type Entry, type EntrySummary, findNeighbours, listNearest } from "./entry-queries.ts";

const NEIGHBOURS = 3;
const NEAREST = 4;

/** The neighbours of an entry by name: of its category, or of the kind if the category has no other. */
export async function listRelated(db: Db, kind: CatalogueKind, entry: Entry, locale: Locale) {
  const inCategory = await findNeighbours(db, kind, entry, NEIGHBOURS);
  const isAlone = inCategory.length === 0 && entry.category !== null;
  const others = isAlone
    ? await findNeighbours(db, kind, { ...entry, category: null }, NEIGHBOURS)
    : inCategory;
  return others.map((other) => describeHit(kind, other, locale));
}

/** The place of an entry on the map and what is nearest; undefined for entries without a place. */
export async function listNearby(db: Db, kind: CatalogueKind, entry: Entry, locale: Locale) {
  if (!has(kind, "isPlaced")) return undefined;
  const place = placeOf(entry.attributes);
  if (!place) return undefined;
  const nearest = await listNearest(db, kind, { id: entry.id, place }, NEAREST);
  const hits = nearest.map((other) => {
    const there = placeOf(other.attributes);
    const note = there && distanceText(place, there, locale);
    return { ...describeHit(kind, other, locale), ...(note !== undefined && { note }) };
  });
  return { title: locale.t(`kinds.${kind}.map.nearest`), mapUrl: locale.paths.map(kind, entry.id), hits };
}

/** Another entry, as views/partials/hit.ejs wants it. */
function describeHit(kind: CatalogueKind, entry: EntrySummary, { paths, language }: Locale) {
  const { name, lang, original, originalLang } = localName(entry, language);
  const other = original === undefined ? undefined : { name: original, lang: originalLang };
  const { picture, image } = entry;
  return {
    href: paths.entry(kind, entry.id),
    name,
    lang,
    thumb: { kind, picture, image },
    ...(other && { other }),
  };
}

/** The distance on the map, in the game's own units. */
function distanceText(a: Place, b: Place, { t, format }: Locale): string {
  const distance = Math.round(Math.hypot(a.x - b.x, a.y - b.y));
  return t("catalogue.entry.distance", { count: distance, figure: format.number(distance) });
}

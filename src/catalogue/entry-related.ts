import type { Db } from "../db/connect.ts";
import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, has } from "../kinds/kinds.ts";
import { type Place, placeOf } from "../records/place.ts";
import type { EntrySummary } from "./entry-queries.ts";
import { type Entry, findNeighbours, listNearest } from "./entry-queries.ts";

/** Entries before and behind one, by name. */
const NEIGHBOURS = 3;
const NEAREST = 4;

/** Another entry, as views/partials/hit.ejs wants it. */
export interface RelatedHit {
  href: string;
  name: string;
  lang: string | undefined;
  other?: { name: string; lang: string | undefined };
  note?: string;
}

/** Where an entry lies, and what lies nearest to it. */
export interface Nearby {
  title: string;
  mapUrl: string;
  hits: RelatedHit[];
}

/**
 * The entries beside one by name, before and behind it in the order of a list: of its category, or of the kind where the
 * category has no other.
 */
export async function listRelated(
  db: Db,
  kind: CatalogueKind,
  entry: Entry,
  locale: Locale,
): Promise<RelatedHit[]> {
  const inCategory = await findNeighbours(db, kind, entry, NEIGHBOURS);
  const isAlone = inCategory.length === 0 && entry.category !== null;
  const others = isAlone
    ? await findNeighbours(db, kind, { ...entry, category: null }, NEIGHBOURS)
    : inCategory;
  return others.map((other) => describeHit(kind, other, locale));
}

/** Undefined for what has no place in the game's world. */
export async function listNearby(
  db: Db,
  kind: CatalogueKind,
  entry: Entry,
  locale: Locale,
): Promise<Nearby | undefined> {
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

function describeHit(kind: CatalogueKind, entry: EntrySummary, { paths, language }: Locale): RelatedHit {
  const { name, lang, original, originalLang } = localName(entry, language);
  const other = original === undefined ? undefined : { name: original, lang: originalLang };
  return { href: paths.entry(kind, entry.id), name, lang, ...(other && { other }) };
}

/** On the plane of the map, in the game's own units: nobody here knows what they are. */
function distanceText(a: Place, b: Place, { t, format }: Locale): string {
  const distance = Math.round(Math.hypot(a.x - b.x, a.y - b.y));
  return t("catalogue.entry.distance", { count: distance, figure: format.number(distance) });
}

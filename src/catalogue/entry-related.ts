import type { Db } from "../db/connect.ts";
import { type Position, positionText, readPosition } from "../records/position.ts";
import { groundOf } from "../records/small-map/ground.ts";
import { drawSmallMap } from "../records/small-map/small-map.ts";
import type { Locale } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import { type CatalogueKind, has } from "../words/kinds/kinds.ts";
import type { AttributeWords } from "./attributes.ts";
import type { CatalogueContext } from "./context.ts";
import { type Entry, type EntrySummary, listNearest } from "./entry-queries.ts";
import { findRelated } from "./related-queries.ts";
import { traitsOf } from "./related-traits.ts";

const RELATED = 6;
const NEAREST = 4;

/** The entries most like one; see `findRelated`. */
export async function listRelated(
  db: Db,
  kind: CatalogueKind,
  entry: Entry,
  locale: Locale & Pick<AttributeWords, "vocabulary">,
) {
  const others = await findRelated(db, kind, entry, traitsOf(entry.attributes, locale.vocabulary), RELATED);
  return others.map((other) => describeHit(kind, other, locale));
}

/** The place of an entry on a small map, and what is nearest; undefined for entries without a place. */
export async function listNearby(
  { db, look, config }: Pick<CatalogueContext, "look" | "config"> & { db: Db },
  kind: CatalogueKind,
  entry: Entry,
  locale: Locale,
) {
  if (!has(kind, "isPlaced")) return undefined;
  const place = readPosition(entry.attributes);
  if (!place) return undefined;
  const nearest = await listNearest(db, kind, { id: entry.id, place }, NEAREST);
  const hits = nearest.map((other) => {
    const there = readPosition(other.attributes);
    const note = there && distanceText(place, there, locale);
    return { ...describeHit(kind, other, locale), ...(note !== undefined && { note }) };
  });
  const bounds = config.look.mapBounds;
  return {
    title: locale.t(`kinds.${kind}.map.nearest`),
    mapUrl: locale.paths.map(kind, entry.id),
    hits,
    map: drawSmallMap(
      bounds,
      place,
      nearest.flatMap(({ attributes }) => readPosition(attributes) ?? []),
    ),
    ground: groundOf(look, bounds, entry.demo),
    position: positionText(place),
  };
}

/** Another entry, as views/partials/hit.ejs wants it. */
function describeHit(kind: CatalogueKind, entry: EntrySummary, { paths, language }: Locale) {
  const { name, lang, original, originalLang } = localName(entry, language);
  const other = original === undefined ? undefined : { name: original, lang: originalLang };
  const { category, picture, image } = entry;
  return {
    href: paths.entry(kind, entry.id),
    name,
    lang,
    thumb: { kind, category, picture, image },
    ...(other && { other }),
  };
}

/** The distance on the map, in the game's own units. */
function distanceText(a: Position, b: Position, { t, format }: Locale): string {
  const distance = Math.round(Math.hypot(a.x - b.x, a.y - b.y));
  return t("catalogue.entry.distance", { count: distance, figure: format.number(distance) });
}

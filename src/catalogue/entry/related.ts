import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { type Position, positionText, readPosition } from "../../records/position.ts";
import { chooseGround, drawSmallMap } from "../../records/small-map/static-map.ts";
import type { Locale } from "../../web/request/locale.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, has } from "../../words/kinds/kinds.ts";
import { isBlank } from "../../words/text/visible.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import { type AttributeWords, isPlace, isReference, sortAttributes } from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { type Entry, type EntrySummary, LISTED_COLUMNS, listNearest } from "./queries.ts";

/** Entries of the category that every entry is compared with, the most popular ones. */
const SAMPLE = 60;
/** Traits that at most this share of the sample has are looked for in the index. */
const RARE = 0.02;
/** Limits of the lookup: values probed, entries scanned per value, candidates of the category. */
const PROBES = 6;
const PROBED = 200;
const PROBE_LIMIT = 15;
/** Being as large as another weighs no more than this, however rare the number is; the rarest word weighs 5. */
const NUMBER_WEIGHT = 1.5;

/** Something of an entry that others may share. */
interface Trait {
  /** What `attributes` of an entry with the same value contain. */
  probe: object;
  /** The path of the value, from the outermost attribute. */
  path: string[];
  /** A number that can have near ones; null for other values, and for ids. */
  figure: number | null;
}

const TRAITS_AT_MOST = 12;
/** Longer texts are sentences, which no other entry repeats. */
const LONGEST_VALUE = 100;
const DEEPEST = 2;

const RELATED = 6;
const NEAREST = 4;

/** The entries most like one; see `findRelated`. */
export async function listRelated(
  db: Db,
  kind: CatalogueKind,
  entry: Entry,
  locale: Locale & Pick<AttributeWords, "vocabulary">,
) {
  const others = await findRelated(db, kind, entry, listTraits(entry.attributes, locale.vocabulary), RELATED);
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
    ground: chooseGround(look, bounds, entry.demo),
    position: positionText(place),
  };
}

/** Another entry, as views/partials/hit.ejs wants it. */
function describeHit(kind: CatalogueKind, entry: EntrySummary, { paths, language }: Locale) {
  const { category, picture, image } = entry;
  return {
    href: paths.entry(kind, entry.id),
    thumb: { kind, category, picture, image },
    ...localName(entry, language),
  };
}

/** The distance on the map, in the game's own units. */
function distanceText(a: Position, b: Position, { t, format }: Locale): string {
  const distance = Math.round(Math.hypot(a.x - b.x, a.y - b.y));
  return t("catalogue.entry.distance", { count: distance, figure: format.number(distance) });
}

/**
 * The entries most like one: of its category, or of the kind if the category has no other. Entries that share its
 * rarest values come first, then the popular ones. Numbers count by their distance, relative to the spread of the
 * others. Compares 150 entries at most.
 */
export async function findRelated(
  db: Db,
  kind: CatalogueKind,
  entry: Pick<Entry, "id" | "category">,
  traits: Trait[],
  limit: number,
): Promise<EntrySummary[]> {
  const { id, category } = entry;
  const columns = LISTED_COLUMNS.map((column) => `entry.${column}`).join(", ");
  return selectRows<EntrySummary>(
    db,
    `with traits as materialized (
       select * from jsonb_to_recordset(:traits::jsonb) as trait (probe jsonb, path text[], figure float8)),
     siblings as materialized (
       select id, attributes, popularity from ${kind}
        where ${category === null ? "category is null" : "category = :category"} and id <> :id
        order by popularity desc nulls last, id limit ${SAMPLE}),
     sample as materialized (
       select * from siblings
       union all
       (select id, attributes, popularity from ${kind}
         where id <> :id and not exists (select from siblings)
         order by name collate name_order, id limit ${SAMPLE})),
     looked as (select count(*)::float8 as entries from sample),
     weighed as materialized (
       select trait.*, held, spread, ln((entries + 1) / (held + 0.5)) as weight
         from looked, traits as trait, lateral (
           select count(*) filter (where attributes @> trait.probe) as held,
                  nullif(stddev_samp(${figureOf("trait")}), 0) as spread
             from sample) as compared),
     rare as materialized (
       select probe from weighed, looked where held <= ${RARE} * entries and entries = ${SAMPLE} limit ${PROBES}),
     candidates as (
       select * from sample
       union all
       select found.* from rare, lateral (
         select id, attributes, popularity from (
           select id, attributes, popularity, category from ${kind}
            where ${holds("rare.probe")} and id <> :id limit ${PROBED}) as holder
          where category is not distinct from :category or not exists (select from siblings)
          limit ${PROBE_LIMIT}) as found),
     scored as (
       select distinct on (id) id, popularity, round(score::numeric, 6) as score
         from candidates, lateral (
           select coalesce(sum(case
             when figure is null then case when attributes @> probe then weight else 0 end
             else least(weight, ${NUMBER_WEIGHT}) * case when attributes @> probe then 1
               else coalesce(greatest(0, 1 - abs(${figureOf("weighed")} - figure) / spread), 0) end
             end), 0) as score
             from weighed) as compared
        order by id),
     best as (
       select * from scored order by score desc, popularity desc nulls last, id limit :limit)
     select ${columns} from best join ${kind} as entry using (id)
      order by score desc, best.popularity desc nulls last, id`,
    { traits: JSON.stringify(traits), id, category, limit },
  );
}

/**
 * SQL: the attributes hold a value that is rare. It says so twice: for an unknown value, Postgres expects a hundredth
 * of all records, and would not use the index once new records wait to enter it.
 */
function holds(probe: string): string {
  return `attributes @> ${probe} and attributes @> ${probe}`;
}

/** SQL for the number that `attributes` have for a trait, if it is one, bounded so that its square is a number. */
function figureOf(trait: string): string {
  const value = `attributes #> ${trait}.path`;
  return `case when ${trait}.figure is not null and jsonb_typeof(${value}) = 'number'
    then least(greatest((${value})::numeric, -1e15), 1e15)::float8 end`;
}

/**
 * What an entry may share with others: words, ids and parts of lists first, then numbers, then what is true or false;
 * without what the vocabulary hides.
 */
export function listTraits(attributes: Record<string, unknown>, vocabulary: KindVocabulary): Trait[] {
  const found = [
    ...new Map(
      gather(attributes, [], vocabulary).map((one) => [JSON.stringify([one.path, one.value]), one]),
    ).values(),
  ];
  const ofType = (wanted: Found["type"]) => found.filter(({ type }) => type === wanted);
  return [...ofType("word"), ...ofType("number"), ...ofType("boolean")]
    .slice(0, TRAITS_AT_MOST)
    .map(({ type, path, value, isPart }) => ({
      probe: wrap(path, isPart ? [value] : value),
      path,
      figure: type === "number" ? Number(value) : null,
    }));
}

interface Found {
  type: "word" | "number" | "boolean";
  path: string[];
  value: unknown;
  /** One of a list's values. */
  isPart: boolean;
}

function gather(attributes: object, above: string[], vocabulary: KindVocabulary): Found[] {
  return sortAttributes(attributes as Record<string, unknown>, vocabulary).flatMap(
    ([key, value]): Found[] => {
      if (isPlace(key)) return [];
      const path = [...above, key];
      if (Array.isArray(value)) return value.flatMap((part) => found(key, path, part, true));
      if (typeof value !== "object" || value === null) return found(key, path, value, false);
      return path.length < DEEPEST ? gather(value, path, vocabulary) : [];
    },
  );
}

function found(key: string, path: string[], value: unknown, isPart: boolean): Found[] {
  if (typeof value === "boolean") return [{ type: "boolean", path, value, isPart }];
  if (typeof value === "number")
    return [{ type: isPart || isReference(key) ? "word" : "number", path, value, isPart }];
  const isWord = typeof value === "string" && value.length <= LONGEST_VALUE && !isBlank(value);
  return isWord ? [{ type: "word", path, value, isPart }] : [];
}

function wrap(path: string[], value: unknown): object {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

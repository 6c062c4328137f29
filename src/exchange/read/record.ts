import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { readPosition } from "../../records/position.ts";
import { LARGE, storedPicture } from "../../records/stored-picture.ts";
import type { Dependencies } from "../../web/answers/answer-scope.ts";
import type { Site } from "../../web/look/site.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { shownDescription } from "../../words/i18n/shown-description.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { RecordList } from "./lists.ts";

/** What records are written for. */
export interface RecordLocale {
  /** The origin of addresses, and the words that the operator has. */
  readonly site: Pick<Site, "baseUrl" | "vocabulary">;
  /** The language of names, descriptions and labels (BCP 47); undefined: the main ones, without labels. */
  readonly language?: Language | undefined;
}

/** A record as the API gives it: what `schema` of its kind describes. */
export type ApiRecord = Readonly<Record<string, unknown>>;

/** All that the API has to know of a kind of records. */
export interface RecordKind<Row extends { id: string }> extends Dependencies {
  readonly schema: z.ZodObject;
  /** The records with these ids, in any order; ids without one are left out. */
  find(db: Db, ids: string[]): Promise<Row[]>;
  /** The same with such as readers are not told of yet; `find` where there are none. */
  findUntold?(db: Db, ids: string[]): Promise<Row[]>;
  readonly list: RecordList<Row>;
  /** The records as they were at a time; undefined for kinds whose past is not kept. */
  readonly past?: {
    find(db: Db, id: string, at: Date): Promise<Row | undefined>;
    read: RecordList<Row>["read"];
  };
  toJson(row: Row, reader: RecordLocale): ApiRecord;
}

/** What every record of the catalogue, the shop and the list of servers has. */
interface Described {
  name: string;
  names: Record<string, string>;
  category: string | null;
  description: string | null;
  descriptions: Record<string, string>;
  attributes: Record<string, unknown>;
}

const texts = z.record(z.string(), z.string());
/** An ISO 8601 time in UTC. */
export const time = z.iso.datetime();

/** The schemas of `namesOf`. */
export const nameFields = {
  name: z.string(),
  names: texts.meta({ description: "By locale." }),
  category: z.string().nullable(),
  description: z.string().nullable().meta({ description: "Markdown." }),
  descriptions: texts.meta({ description: "By locale." }),
  attributes: z
    .record(z.string(), z.unknown())
    .meta({ description: "Values as they were imported, without those that the operator hides." }),
  labels: z
    .object({
      category: z.string().optional(),
      attributes: texts,
      values: texts.meta({ description: "Labels of the attributes' values." }),
    })
    .optional()
    .meta({ description: "With `lang`: the operator's labels in that language." }),
};

/** Name, description and attributes of a record, in the requested language if there is one. */
export function describedFields(row: Described, words: KindVocabulary, reader: RecordLocale): ApiRecord {
  const { language } = reader;
  const { names, category, descriptions } = row;
  const attributes = Object.fromEntries(
    Object.entries(row.attributes).filter(([key]) => !words.isHidden(key)),
  );
  return {
    name: language === undefined ? row.name : localName(row, language).name,
    names,
    category,
    description: language === undefined ? row.description : shownDescription(row, language).text,
    descriptions,
    attributes,
    ...(language !== undefined && { labels: labelsOf(category, attributes, words, { ...reader, language }) }),
  };
}

function labelsOf(
  category: string | null,
  attributes: Record<string, unknown>,
  words: KindVocabulary,
  { site, language }: RecordLocale & { language: Language },
) {
  const labels = (labelOf: (key: string) => string | undefined) =>
    Object.fromEntries(
      Object.keys(attributes).flatMap((key): [string, string][] => {
        const label = labelOf(key);
        return label === undefined ? [] : [[key, label]];
      }),
    );
  const ofCategory = category === null ? undefined : site.vocabulary.categoryLabel(category, language);
  return {
    ...(ofCategory !== undefined && { category: ofCategory }),
    attributes: labels((key) => words.label(key, language)),
    values: labels((key) => words.valueLabel(key, attributes[key], language)),
  };
}

/** The schema of `placeJson`. */
export const placeField = z
  .object({ x: z.number(), y: z.number(), z: z.number().nullable() })
  .nullable()
  .meta({ description: "The position in the game’s world, if the attributes have one." });

/** Where a record lies. */
export function placeJson(attributes: Record<string, unknown>) {
  const place = readPosition(attributes);
  return place ? { x: place.x, y: place.y, z: place.z ?? null } : null;
}

/** The schema of `imagesJson`. */
export const imagesField = z
  .array(z.object({ url: z.url(), width: z.int().nullable(), height: z.int().nullable() }))
  .meta({ description: "Absolute addresses. Pictures stored by the site have a size in pixels." });

/** The pictures of a record: one of the site's store, else the address that it has of one elsewhere. */
export function imagesJson(
  { picture, image }: { picture: string | null; image: string | null },
  { site: { baseUrl } }: RecordLocale,
) {
  const stored = storedPicture(picture);
  if (stored) {
    const url = absoluteUrl(baseUrl, paths.picture(stored.name, `${LARGE}.webp`));
    return [{ url, width: stored.width, height: stored.height }];
  }
  return image === null ? [] : [{ url: absoluteUrl(baseUrl, image), width: null, height: null }];
}

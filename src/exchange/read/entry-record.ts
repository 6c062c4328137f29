import { z } from "zod";
import type { Entry } from "../../catalogue/entry-queries.ts";
import type { Db } from "../../db/connect.ts";
import { type CatalogueKind, entityKinds, singularOf } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { entryList } from "./entry-list.ts";
import {
  describedFields,
  imagesField,
  imagesJson,
  nameFields,
  placeField,
  placeJson,
  type RecordKind,
  time,
} from "./record.ts";

/** An entry of the catalogue as the API gives it, for the kinds that there are. */
export function entrySchema() {
  return z
    .object({
      kind: z.enum(entityKinds()),
      id: z.string(),
      ...nameFields,
      place: placeField,
      images: imagesField,
      popularity: z.number().nullable(),
      url: z.url().meta({ description: "The page of the entry." }),
      created_at: time,
      updated_at: time,
    })
    .meta({ id: "EntryRecord" });
}

/** The entries of a kind of the catalogue. @param schema that of `entrySchema`, shared by all kinds */
export function entryRecords(kind: CatalogueKind, schema: ReturnType<typeof entrySchema>): RecordKind<Entry> {
  const find = async (db: Db, ids: string[]): Promise<Entry[]> =>
    db<Entry>(kind).select("*").whereRaw("id = any(?::text[])", [ids]);
  return {
    schema,
    changesWith: ["catalogue"],
    find,
    list: entryList(kind, find),
    toJson: (entry, reader) => ({
      kind: singularOf(kind),
      id: entry.id,
      ...describedFields(entry, reader.site.vocabulary.of(kind), reader),
      place: placeJson(entry.attributes),
      images: imagesJson(entry, reader),
      popularity: entry.popularity,
      url: absoluteUrl(reader.site.baseUrl, paths.entry(kind, entry.id)),
      created_at: entry.created_at.toISOString(),
      updated_at: entry.updated_at.toISOString(),
    }),
  };
}

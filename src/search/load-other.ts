import type { Db } from "../db/connect.ts";
import type { OtherKind } from "../words/kinds/searchable-kinds.ts";
import { IndexBuilder } from "./index/build.ts";
import type { RecordToIndex } from "./index/records.ts";
import { compareRank } from "./index/records.ts";
import { kindWords } from "./kind-words.ts";
import type { LoadedIndex } from "./load.ts";
import { listServerNames, listShopNames } from "./other-names-queries.ts";
import { readVersions } from "./queries.ts";
import { sitePages } from "./site-pages.ts";

const READ: Readonly<Record<OtherKind, (db: Db) => Promise<RecordToIndex[]>>> = {
  servers: readServers,
  shop: readShop,
  pages: async () => sitePages(),
};

/**
 * Builds the index of a kind outside the catalogue. It has some hundred records, so each change loads all of them.
 * Reads the version first: concurrent changes are loaded again.
 */
export async function loadOther(db: Db, kind: OtherKind): Promise<LoadedIndex> {
  const { [kind]: version } = await readVersions(db);
  const records = await READ[kind](db);
  const builder = new IndexBuilder();
  for (const record of records.sort(compareRank)) builder.add(record);
  return { version, data: builder.finish() };
}

/** Servers by their names and addresses, with their game as a value. */
async function readServers(db: Db): Promise<RecordToIndex[]> {
  const words = kindWords("servers");
  return (await listServerNames(db)).map(({ id, name, game, address }) => ({
    id,
    name,
    names: {},
    category: game,
    image: null,
    popularity: null,
    aliases: address === null ? [] : [address],
    values: game === null ? words : [game, ...words],
  }));
}

/** By their names and those of the entries that they are or unlock. */
async function readShop(db: Db): Promise<RecordToIndex[]> {
  const words = kindWords("shop");
  return (await listShopNames(db)).map(({ key, name, names, category, image, entry }) => ({
    id: key,
    name,
    names,
    category,
    image,
    popularity: null,
    aliases: entry ? [entry.name, ...Object.values(entry.names)] : [],
    values: category === null ? words : [category, ...words],
  }));
}

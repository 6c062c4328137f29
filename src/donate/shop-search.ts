import type { Db } from "../db/connect.ts";
import type { BaseContext } from "../http/context.ts";
import { searchNotReady } from "../http/errors.ts";
import { IndexBuilder } from "../search/index/build.ts";
import { KindIndex } from "../search/kind-index.ts";
import type { LoadedIndex } from "../search/load.ts";
import { matchedFirst } from "../search/matched-names.ts";
import { listShopNames, readShopNamesVersion, type ShopNames } from "../search/shop-names-queries.ts";

/** The keys of the items that were found, best first; `isPartial`: none has all typed words. */
interface ShopMatches {
  readonly keys: string[];
  readonly isPartial: boolean;
}

/** Searches the shop with the catalogue's index, which forgives typing errors. */
export interface ShopSearch {
  /**
   * Finds items by their names, those of their catalogue entries and, beside those, their category. Sees everything that
   * is committed.
   * @throws HttpError 503 when there is no index
   */
  find(text: string): Promise<ShopMatches>;
  /** What an item is found by. */
  names(key: string): ShopNames | undefined;
}

/** Loads the index at the first search after a change: a shop is small enough for that. */
export function createShopSearch({ db, log }: Pick<BaseContext, "db" | "log">): ShopSearch {
  let names: ReadonlyMap<string, ShopNames> = new Map();
  const load = async () => {
    const { index, items } = await loadShopIndex(db);
    names = new Map(items.map((item) => [item.key, item]));
    return index;
  };
  const index = new KindIndex(load, {
    onSwap: () => undefined,
    onFailure: (error) => log.warn({ err: error }, "the index of the shop could not be made"),
  });
  return {
    async find(text) {
      await index.follow(await readShopNamesVersion(db));
      if (!index.current) throw searchNotReady();
      const { hits } = index.current.search(text, { limit: index.current.size, offset: 0 });
      return { keys: hits.map(({ record }) => record.id), isPartial: hits[0]?.match === "partial" };
    },
    names: (key) => names.get(key),
  };
}

/** Reads the version first: names that change meanwhile are loaded again by the next search. */
async function loadShopIndex(db: Db): Promise<{ index: LoadedIndex; items: ShopNames[] }> {
  const version = await readShopNamesVersion(db);
  const items = await listShopNames(db);
  const builder = new IndexBuilder();
  for (const item of items) {
    const names = Object.fromEntries(namesOf(item).map(({ name }, index) => [index, name]));
    const values = item.category === null ? [] : [item.category];
    const nothing = { category: null, image: null, popularity: null };
    builder.add({ ...nothing, id: item.key, name: item.name, names, values });
  }
  return { index: { version, data: builder.finish() }, items };
}

interface NameInLanguage {
  name: string;
  lang: string | undefined;
}

/** The name that a text found an item by, unless it is among the shown ones. */
export function foundName(item: ShopNames, text: string, shown: string[]): NameInLanguage | undefined {
  const names = [...shown.map((name) => ({ name, lang: undefined })), ...namesOf(item)];
  const [best] = matchedFirst(names, text);
  return best && !shown.includes(best.name) ? best : undefined;
}

function namesOf({ name, names, entry }: ShopNames): NameInLanguage[] {
  return [{ name, names }, ...(entry ? [entry] : [])].flatMap((named) => {
    const local = Object.entries(named.names).map(([lang, name]) => ({ name, lang }));
    const isLocal = local.some(({ name }) => name === named.name);
    return isLocal ? local : [{ name: named.name, lang: undefined }, ...local];
  });
}

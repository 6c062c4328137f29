import type { Db } from "../db/connect.ts";
import { databaseFailure } from "../db/failures.ts";
import { comparePrices } from "../records/prices/prices.ts";
import { findShopItems, type ShopItem } from "../records/prices/queries.ts";
import type { Dependencies } from "../web/answers/answer-scope.ts";
import type { ServerFigures, ShopOffer } from "./answers.ts";

/** Reads the current figures of servers; the feature of servers gives it (src/app.ts), which is above this one. */
export type FindServerFigures = (
  db: Db,
  ids: string[],
) => Promise<(ServerFigures & { readonly id: string })[]>;

/** What changes too often for an index: figures of servers and prices of the shop, by id. */
export interface Figures {
  readonly servers: ReadonlyMap<string, ServerFigures>;
  readonly shop: ReadonlyMap<string, ShopOffer>;
  /** False while the database is away: searches go on, without them. */
  readonly areRead: boolean;
}

/** The figures of a server whose figures could not be read, or that is gone by now. */
export const UNKNOWN_FIGURES: ServerFigures = {
  status: "unknown",
  online: null,
  bots: null,
  queue: null,
  max_online: null,
};
/** The offer of an item of the shop whose price could not be read. */
export const UNKNOWN_OFFER: ShopOffer = {
  price: null,
  currency: null,
  price_before: null,
  discount_ends_at: null,
};

/** Names what the answer to a search depends on. Figures of servers change with each poll, which counts as no change. */
export function figuresShown(hasServers: boolean, hasShop: boolean) {
  const dependsOn: Dependencies["dependsOn"] = [
    "search",
    ...(hasServers ? (["servers"] as const) : []),
    ...(hasShop ? (["shop"] as const) : []),
  ];
  return { dependsOn, isTimeSensitive: hasServers };
}

/** Reads the present figures of what was found; without servers and items of the shop, without the database. */
export async function readFigures(
  db: Db,
  { servers, shop }: { servers: readonly { id: string }[]; shop: readonly { id: string }[] },
  findServers: FindServerFigures,
): Promise<Figures> {
  const idsOf = (hits: readonly { id: string }[]) => hits.map(({ id }) => id);
  try {
    const [states, items] = await Promise.all([
      servers.length === 0 ? [] : findServers(db, idsOf(servers)),
      shop.length === 0 ? [] : findShopItems(db, idsOf(shop)),
    ]);
    return {
      servers: new Map(states.map(({ id, ...state }) => [id, figuresOf(state)])),
      shop: new Map(items.map((item) => [item.key, offerOf(item)])),
      areRead: true,
    };
  } catch (error) {
    if (!databaseFailure(error)) throw error;
    return { servers: new Map(), shop: new Map(), areRead: false };
  }
}

function figuresOf({ status, online, bots, queue, max_online }: ServerFigures): ServerFigures {
  return { status, online, bots, queue, max_online };
}

function offerOf({ price, currency, sale }: ShopItem): ShopOffer {
  const isLower = sale !== undefined && price !== null && comparePrices(sale.newPrice, price) < 0;
  return {
    price: sale?.newPrice ?? price,
    currency,
    price_before: isLower ? price : null,
    discount_ends_at: sale?.discount.ends_at?.toISOString() ?? null,
  };
}

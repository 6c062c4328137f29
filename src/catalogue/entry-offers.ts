import type { Db } from "../db/connect.ts";
import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { type CatalogueKind, KINDS } from "../kinds/kinds.ts";
import { saving } from "../prices/prices.ts";
import { type Discount, listShopItemsOf, readDatabaseClock, type ShopItem } from "../prices/queries.ts";
import { endText } from "../prices/sale-words.ts";
import type { Entry } from "./entry-queries.ts";

/** An item of the shop, as the page of its entry shows it. */
export interface EntryOffer {
  href: string;
  title: string;
  lang: string | undefined;
  /** As views/partials/price.ejs wants it. */
  price: { amount: string | null; currency: string; before: string | undefined; sale: boolean };
  /** The discount that decides the price now. */
  discount: Discount | undefined;
  /** Whole percent that a buyer saves; undefined where none is known. */
  savedPercent: number | undefined;
}

export interface EntryOffers {
  /** What is on sale comes first. */
  offers: EntryOffer[];
  /** Whether one of them is. */
  isOnSale: boolean;
  now: Date;
  endText: typeof endText;
}

/** What the shop sells of an entry of the catalogue. */
export async function listOffers(
  db: Db,
  kind: CatalogueKind,
  entry: Pick<Entry, "id">,
  locale: Locale,
): Promise<EntryOffers> {
  const items = await listShopItemsOf(db, KINDS[kind].one, entry.id);
  const offers = items
    .map((item) => describeOffer(item, locale))
    .sort((a, b) => Number(b.price.sale) - Number(a.price.sale));
  const isOnSale = offers.some(({ price }) => price.sale);
  // A clock that is read for nothing would cost every other page a query.
  return { offers, isOnSale, now: isOnSale ? await readDatabaseClock(db) : new Date(), endText };
}

function describeOffer(item: ShopItem, { language, paths }: Locale): EntryOffer {
  const { name, lang } = localName(item, language);
  const saved = item.sale && saving(item.price, item.sale.newPrice);
  return {
    href: paths.donateItem(item.key),
    title: name,
    lang,
    price: {
      amount: item.sale?.newPrice ?? item.price,
      currency: item.currency,
      before: saved && item.price !== null ? item.price : undefined,
      sale: item.sale !== undefined,
    },
    discount: item.sale?.discount,
    savedPercent: saved?.percent,
  };
}

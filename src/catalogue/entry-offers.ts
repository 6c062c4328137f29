import type { Db } from "../db/connect.ts";
import { saving } from "../records/prices/prices.ts";
import { listShopItemsOf, readDatabaseClock, type ShopItem } from "../records/prices/queries.ts";
import { endText } from "../records/prices/sale-words.ts";
import type { Locale } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { type CatalogueKind, singularOf } from "../words/kinds/kinds.ts";
import type { Entry } from "./entry-queries.ts";

/** The shop items of an entry, those on sale first; empty if the shop is switched off. */
export async function listOffers(db: Db, kind: CatalogueKind, entry: Pick<Entry, "id">, locale: Locale) {
  const [items, now] = await Promise.all([
    isHidden("shop") ? [] : listShopItemsOf(db, singularOf(kind), entry.id),
    readDatabaseClock(db),
  ]);
  const offers = items
    .map((item) => describeOffer(item, locale))
    .sort((a, b) => Number(b.price.sale) - Number(a.price.sale));
  const isOnSale = offers.some(({ price }) => price.sale);
  return { offers, isOnSale, now, endText };
}

function describeOffer(item: ShopItem, { language, paths }: Locale) {
  const { name, lang } = localName(item, language);
  const saved = item.sale && saving(item.price, item.sale.newPrice);
  return {
    href: paths.donateItem(item.key),
    title: name,
    lang,
    /** The price for views/partials/price.ejs. */
    price: {
      amount: item.sale?.newPrice ?? item.price,
      currency: item.currency,
      before: saved && item.price !== null ? item.price : undefined,
      sale: item.sale !== undefined,
    },
    /** The discount that decides the price now. */
    discount: item.sale?.discount,
    /** Whole percent; undefined where it is not known. */
    savedPercent: saved?.percent,
  };
}

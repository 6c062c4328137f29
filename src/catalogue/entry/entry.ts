import type { Db } from "../../db/connect.ts";
import { saving } from "../../records/prices/prices.ts";
import { listShopItemsOf, readDatabaseClock, type ShopItem } from "../../records/prices/queries.ts";
import { endText } from "../../records/prices/sale-words.ts";
import type { Locale } from "../../web/request/locale.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { type CatalogueKind, singularOf } from "../../words/kinds/kinds.ts";
import { plainText } from "../../words/text/prose.ts";
import type { Entry } from "./queries.ts";

/**
 * The shown name of an entry and its others, the main name first, then by locale. If no locale has the main name, its
 * `language` is undefined, and its `lang` is blank.
 */
export function describeNames({ name, names }: Pick<Entry, "name" | "names">, language: Language) {
  const local = localName({ name, names }, language);
  const isOriginal = (other: string) => other === name;
  const different = Object.entries(names)
    .filter(([, other]) => other !== local.name)
    .sort(([a, one], [b, two]) => Number(isOriginal(two)) - Number(isOriginal(one)) || (a < b ? -1 : 1));
  // A name that several languages share is there once.
  const others = [...Map.groupBy(different, ([, other]) => other)].map(([other, shared]) => ({
    lang: shared[0]?.[0] ?? "",
    language: shared.map(([lang]) => languageWord(lang, language)).join(", "),
    name: other,
  }));
  const isListed = isOriginal(local.name) || others.some((other) => isOriginal(other.name));
  return {
    shown: { name: local.name, lang: local.lang },
    others: isListed ? others : [{ lang: "", language: undefined, name }, ...others],
  };
}

/** The name of a language in another one, as within a sentence: `German`, but `немецкий`. */
export function languageWord(tag: string, inLanguage: Language): string {
  try {
    return new Intl.DisplayNames(inLanguage, { type: "language" }).of(tag) ?? tag;
  } catch {
    // Not a language tag: shown as the source has it.
    return tag;
  }
}

/**
 * The summary of an entry for search engines and link previews: the start of its description, else its kind, category
 * and `facts`, such as `Weight: 3.5 kg`.
 */
export function summariseEntry(
  { category, ...entry }: Pick<Entry, "category" | "description">,
  { name, kind }: { name: string; kind: string },
  facts: readonly string[],
  t: Translate,
): string {
  const description = plainText(entry.description ?? "").replace(/\s+/g, " ");
  if (description !== "") return shorten(`${name}: ${description}`, 160);
  const text =
    category === null
      ? t("catalogue.entry.summary", { name, kind })
      : t("catalogue.entry.summary_category", { name, kind, category });
  return shorten([text, facts.join("; ")].filter(Boolean).join(" "), 160);
}

/** By code points, so that no character is cut in half. */
function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}

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

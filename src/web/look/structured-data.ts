import { absoluteUrl } from "../../words/urls.ts";

/*
 * The subject of a page in schema.org's terms, for its head (JSON-LD). Addresses are in the language of the page.
 *
 * Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery
 */

const CONTEXT = "https://schema.org";

export type NamedPath = readonly [name: string, path: string];

/** The breadcrumbs of a page, ending with the page itself. */
export function breadcrumbList(baseUrl: string, trail: readonly NamedPath[]): object {
  return {
    "@context": CONTEXT,
    "@type": "BreadcrumbList",
    itemListElement: trail.map(([name, path], index) => {
      return { "@type": "ListItem", position: index + 1, name, item: absoluteUrl(baseUrl, path) };
    }),
  };
}

/** The pages that a list links to, in its order; `before` is how many are on earlier pages. */
export function itemList(baseUrl: string, pages: readonly NamedPath[], before = 0): object {
  return {
    "@context": CONTEXT,
    "@type": "ItemList",
    itemListElement: pages.map(([name, path], index) => {
      return { "@type": "ListItem", position: before + index + 1, name, url: absoluteUrl(baseUrl, path) };
    }),
  };
}

export interface SoldProduct {
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly category: string | undefined;
  /** Absolute. */
  readonly image: string | undefined;
  /** Decimal text; undefined if it has no price. */
  readonly price: string | undefined;
  readonly currency: string;
  /** When the price ends, if known. */
  readonly until: Date | undefined;
}

/** A product with its current price; undefined for one without a price in money, which search engines refuse. */
export function productWithOffer(
  baseUrl: string,
  { key, name, path, description, category, image, price, currency, until }: SoldProduct,
): object | undefined {
  if (price === undefined || !/^[A-Z]{3}$/.test(currency)) return undefined;
  const url = absoluteUrl(baseUrl, path);
  return {
    "@context": CONTEXT,
    "@type": "Product",
    sku: key,
    name,
    description,
    category,
    image,
    url,
    offers: {
      "@type": "Offer",
      url,
      price,
      priceCurrency: currency,
      priceValidUntil: until?.toISOString(),
      availability: "https://schema.org/InStock",
    },
  };
}

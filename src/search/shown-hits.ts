import { saving } from "../records/prices/prices.ts";
import type { Locale } from "../web/request/locale.ts";
import type { SearchableKind } from "../words/kinds/searchable-kinds.ts";
import { paths } from "../words/urls.ts";
import type { Hit, ServerFigures, ShopOffer } from "./answers.ts";
import { type Figures, UNKNOWN_FIGURES } from "./figures.ts";
import { tellApart } from "./result-groups.ts";
import { firstName, namesToPrint, type PrintedName } from "./shown-names.ts";
import { foundAddress, foundPath } from "./site-pages.ts";

/** A hit as `views/search/hit.ejs` wants it. */
export interface ShownHit {
  kind: SearchableKind;
  href: string;
  /** Those in the reader's language first. */
  names: PrintedName[];
  category: string | null;
  /** Its id, where that is what was typed. */
  typedId: string | undefined;
  /** Its id, where others are shown with the same name. */
  ownId: string | undefined;
  /** It is a choice that a script makes, such as the dark theme. */
  needsScript: boolean;
  /** The typed words that it does not have, if some are missing. */
  without: string | undefined;
  /** The figures of a server. */
  figures: ServerFigures | undefined;
  /** The price of an item of the shop, for views/partials/price.ejs; `percent` is saved. */
  price: ShownPrice | undefined;
  /** As views/partials/thumbnail.ejs wants it; `image` is the address of the picture. */
  thumb: { kind: SearchableKind; category: string | null; picture: null; image: string | null };
  /** What public/js/search/recent.ts stores when it is opened. */
  remembered: { path: string; name: string; names: Hit["names"]; kind: SearchableKind };
}

interface ShownPrice {
  amount: string | null;
  currency: string;
  before: string | null;
  sale: boolean;
  percent: number;
}

/** The view of each hit; the other hits on the page decide what is shown beside a name. */
export function showHits(
  groups: readonly { kind: SearchableKind; results: Hit[] }[],
  figures: Figures,
  query: string,
  locale: Pick<Locale, "language" | "paths" | "prefix">,
  baseUrl: string,
): (kind: SearchableKind, hit: Hit) => ShownHit {
  const { language, paths: local, prefix } = locale;
  const shownAs = (kind: SearchableKind, hit: Hit) => ({ ...hit, kind, name: firstName(hit, language) });
  const apart = tellApart(groups.flatMap(({ kind, results }) => results.map((hit) => shownAs(kind, hit))));
  return (kind, hit) => {
    const { id, name, names, category, image_url, match, without } = hit;
    const href = foundAddress(local, prefix, kind, id);
    const isTyped = kind !== "pages" && match === "exact" && id.toLowerCase() === query.toLowerCase();
    const hasTwin = kind !== "pages" && apart(shownAs(kind, hit)).byId;
    return {
      kind,
      href,
      names: namesToPrint(hit, query, language),
      category,
      typedId: isTyped ? id : undefined,
      ownId: hasTwin && !isTyped ? id : undefined,
      needsScript: href.startsWith("#"),
      without: without?.join(" "),
      figures: kind === "servers" ? (figures.servers.get(id) ?? UNKNOWN_FIGURES) : undefined,
      price: kind === "shop" ? priceOf(figures.shop.get(id)) : undefined,
      // Pages name what is here by its path.
      thumb: { kind, category, picture: null, image: image_url?.replace(`${baseUrl}/`, "/") ?? null },
      remembered: { path: foundPath(paths, "", kind, id), name, names, kind },
    };
  };
}

/** Undefined where it is not known. */
function priceOf(offer: ShopOffer | undefined): ShownPrice | undefined {
  if (!offer?.currency) return undefined;
  const { price, currency, price_before: before } = offer;
  const percent = (price !== null && saving(before, price)?.percent) || 0;
  return { amount: price, currency, before, sale: before !== null, percent };
}

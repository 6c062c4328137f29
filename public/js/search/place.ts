/** The text beside a name in the search box: its type and its current state. */

import type { Hit, ServerFigures, ShopOffer } from "../../../src/search/answers.ts";
import { moneyText } from "../../../src/words/currencies.ts";
import type { SearchedCategory } from "../../../src/words/vocabulary/category-text.ts";
import { words } from "../servers/language.ts";
import { text } from "../web/texts.ts";
import { element } from "./elements.ts";

export interface PlaceView {
  query: string;
  /** The page's text for a category. */
  categoryText: (category: string) => SearchedCategory;
}

/** The text that distinguishes a hit from others with its name. */
interface Twin {
  kind: string | undefined;
  id: string | undefined;
}

/** The part of an option beside its names. */
export function place(
  hit: Hit & Partial<ServerFigures & ShopOffer>,
  twin: Twin,
  { query, categoryText }: PlaceView,
): HTMLElement {
  const { id, category, match, without } = hit;
  const made = element("span", { class: "hit-place" });
  const parts: (Node | string)[] = [];
  // A search by id shows the id.
  const isTyped = hit.kind !== "page" && match === "exact" && id.toLowerCase() === query.toLowerCase();
  if (isTyped) parts.push(element("mark", {}, id));
  if (without) parts.push(text("script.search.without", { words: without.join(" ") }));
  if (twin.kind !== undefined) parts.push(twin.kind);
  if (category) {
    const { text: shown, lang } = categoryText(category);
    parts.push(element("span", lang ? { lang } : {}, shown));
  }
  if (twin.id !== undefined && !isTyped && hit.kind !== "page") parts.push(twin.id);
  if (hit.status !== undefined) parts.push(figures(hit.status, hit.online, hit.max_online));
  if (hit.price && hit.currency) parts.push(...price(hit.price, hit.currency, hit.price_before));
  for (const [index, part] of parts.entries()) made.append(index > 0 ? " · " : "", part);
  return made;
}

/** How many play on a server, or that it is not online. */
function figures(
  status: ServerFigures["status"],
  online: number | null = null,
  most: number | null = null,
): HTMLElement {
  if (status !== "online" || online === null) {
    const word = status === "offline" ? "offline" : "unknown";
    const said =
      word === "offline" ? text("script.search.status.offline") : text("script.search.status.unknown");
    return element("span", { class: `badge is-${word}` }, said);
  }
  const made = element("span", { class: "num" });
  const label = element("span", { class: "visually-hidden" }, `${text("script.search.playing")} `);
  made.append(label, words.number(online), most === null ? "" : ` / ${words.number(most)}`);
  return made;
}

/** The price of an item of the shop, and the price before a discount. */
function price(now: string, currency: string, before: string | null = null): HTMLElement[] {
  if (before === null) return [element("span", { class: "num" }, moneyText(words.locale, now, currency))];
  const made = element("span", { class: "num" });
  const hidden = (said: string) => element("span", { class: "visually-hidden" }, `${said} `);
  const old = element("s", {});
  old.append(hidden(text("script.search.was")), moneyText(words.locale, before, currency));
  const lower = element("strong", {});
  lower.append(hidden(text("script.search.now")), moneyText(words.locale, now, currency));
  made.append(old, " ", lower);
  return [made];
}

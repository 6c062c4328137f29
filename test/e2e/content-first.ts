import type { Page } from "playwright-core";
import { gotoSettled } from "./settled.ts";

/** In CSS pixels from the top of a phone's window. */
const BEGINS_ABOVE = 300;

const ROW = ".entry-table tbody tr";
const FORM = "main form .field";
const PANEL = "main .panel";

/** What each type of page is about: the first of it that a reader sees, not the page's title or what narrows a list. */
const CONTENT: Readonly<Record<string, string>> = {
  home: "main .search-box",
  search: ".hits li",
  "search-kind": ".hits li",
  "search-blank": ".empty",
  "search-nothing": ".empty",
  "search-forgiving": ".hits li",
  "search-everything": ".hits li",
  "search-shop": ".hits li",
  "search-pages": ".hits li",
  items: ROW,
  "items-filtered": ROW,
  "items-nothing": ".empty",
  "items-past": "main .form-row",
  vehicles: ROW,
  scripts: ROW,
  houses: ROW,
  businesses: ROW,
  item: ".entry-image",
  vehicle: ".entry-image",
  script: "main .split",
  house: "main .split",
  business: "main .split",
  "item-recipe": ".entry-image",
  relations: ".hits li",
  "item-missing": "main .search-box, main h1",
  compare: ".compare-table",
  "compare-empty": ".empty",
  "map-houses": "#map",
  "map-businesses": "#map",
  changes: "main .form-row",
  servers: "table.servers tbody tr",
  "server-alerts": FORM,
  server: "main .server-state",
  "server-week": "main .server-state",
  donate: ".shop-card",
  "donate-nothing": ".empty",
  "donate-item": PANEL,
  nicknames: ".nicknames li",
  "nicknames-asked": ".nicknames li",
  "nicknames-refused": FORM,
  "log-in": FORM,
  "log-in-favorite": FORM,
  register: FORM,
  "forgotten-password": "main .prose",
  "new-password-unknown": ".notice",
  "confirm-email-unknown": ".notice",
  "docs-api": ".docs",
  "docs-errors": ".docs-problems .panel, .problem-example",
  "docs-cards": ".docs-cards .prose",
  offline: "main p",
  "not-found": "main .search-box",
  "not-found-meant": "main .search-box",
  profile: PANEL,
  favorites: "main li.card, main table tbody tr, main .hits li",
  "price-alert": PANEL,
  "favorites-empty": ".empty",
  notifications: ".notices li, .notifications li, main li",
  "notifications-empty": ".empty",
  "notification-settings": PANEL,
  operator: "main .notice, main .card",
  "operator-discounts": "main table tbody tr",
  "operator-new-discount": FORM,
  "operator-deliveries": "main table tbody tr, main .empty, main h2",
  "operator-api-keys": "main table tbody tr, main .empty",
  "operator-records": PANEL,
  "operator-record": FORM,
  "operator-record-remove": "main .stack > p",
  "operator-record-history": "main .history li, main .stack .muted",
  "operator-new-record": FORM,
  "operator-servers": "main table tbody tr",
  "operator-server": FORM,
  "operator-server-remove": "main .stack > p",
  "operator-new-server": FORM,
  "operator-shop-item": FORM,
  "operator-imports": "main table tbody tr, main .empty",
  "operator-new-import": FORM,
  suggest: FORM,
  "operator-people": "main table tbody tr",
  "operator-person": "main .facts, main .panel",
  "operator-audit-log": "main table tbody tr, main .empty",
  webhooks: PANEL,
  "operator-webhooks": PANEL,
  "operator-site": PANEL,
  "operator-vocabulary": ".card",
  "operator-vocabulary-kind": ".vocabulary-attribute",
  "operator-vocabulary-categories": FORM,
  "operator-vocabulary-new-kind": FORM,
  "operator-vocabulary-text": FORM,
  "operator-picture": "main h2",
};

/**
 * Checks that a page's content begins near the top of a phone's window of 390 × 844. If the optional font was late at
 * a first visit, the system's letters are shown, which are wider on a machine without Arial: then it reloads the
 * page.
 */
export async function faultsOfFirstContent(page: Page, type: string): Promise<string[]> {
  const selector = CONTENT[type];
  if (selector === undefined) return ["nobody has said what this page is about"];
  const content = page.locator(selector).filter({ visible: true }).first();
  const findTop = async () => Math.round((await content.boundingBox())?.y ?? Number.POSITIVE_INFINITY);
  let top = await findTop();
  for (let again = 0; top >= BEGINS_ABOVE && again < 2; again++) {
    await gotoSettled(page, page.url());
    top = await findTop();
  }
  return top < BEGINS_ABOVE ? [] : [`its content begins at ${top}`];
}

import { type RequestHandler, Router } from "express";
import { listFavoriteServers } from "../accounts/favorites/queries.ts";
import { withKindWords } from "../catalogue/attributes.ts";
import { type ChangedEntry, listLastChanged } from "../catalogue/entry/queries.ts";
import { lastChangeText } from "../catalogue/feed-queries.ts";
import { countKinds } from "../catalogue/list/queries.ts";
import type { Db } from "../db/connect.ts";
import { discountFeedLinks, kindFeedLinks } from "../discovery/feeds/feed-links.ts";
import { saving } from "../records/prices/prices.ts";
import { type ActiveDiscount, listActiveDiscounts, readDatabaseClock } from "../records/prices/queries.ts";
import { endText } from "../records/prices/sale-words.ts";
import type { TopVisits } from "../records/visits/visits.ts";
import { findServerStates } from "../servers/queries.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { Site } from "../web/look/site.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { type FeedLink, renderPage } from "../web/pages/page.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import type { Language } from "../words/i18n/languages.ts";
import { localName } from "../words/i18n/local-name.ts";
import { type CatalogueKind, catalogueKinds, has, kindsWith } from "../words/kinds/kinds.ts";
import { renderProseIn } from "../words/text/prose.ts";
import { paths } from "../words/urls.ts";
import { describePulse, sparklineOfServer } from "./pulse.ts";
import { findBusiestServers, loadDay } from "./queries.ts";

const NEWEST = 8;
const SERVERS = 6;
const SALES = 5;
const VISITED = 6;

/** The start page. */
export function homePages(context: BaseContext & { topVisits: TopVisits }): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.home(), showHome(context));
  return router;
}

function showHome({
  db: database,
  config,
  topVisits,
}: BaseContext & { topVisits: TopVisits }): RequestHandler {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const locale = localeOf(req);
    const { t, language } = locale;
    const [counts, newest, busiest, day, discounts, now, visited, favorites] = await Promise.all([
      countKinds(db),
      listNewest(db),
      findBusiestServers(db, SERVERS),
      loadDay(db, SERVERS),
      listActiveDiscounts(db),
      readDatabaseClock(db),
      topVisits.list(db, VISITED),
      req.viewer ? listFavoriteServers(db, req.viewer.id, findServerStates) : [],
    ]);
    const sales = winning(discounts).map((sale) => withName(sale, language));
    const deal = greatest(sales);
    const others = sales.filter((sale) => sale !== deal);
    const used = catalogueKinds().filter((kind) => counts[kind].count > 0);
    const isEmpty = used.length === 0 && busiest.total === 0;
    // A game without houses has none tomorrow either. Only a site before its first import shows every kind.
    const kinds = isEmpty ? catalogueKinds() : used;
    await renderPage(
      req,
      res,
      "home/home",
      {
        title: config.siteName,
        description: t("home.description", { site: config.siteName }),
        styles: ["home/home", "web/charts"],
        scripts: deal?.ends_at ? ["shop/shop"] : [],
        hasSearch: true,
        feeds: listFeeds(kinds, req.site, locale),
        // A user's page shows their favorite servers.
        dependsOn: req.viewer ? undefined : ["catalogue", "shop"],
        isTimeSensitive: true,
      },
      {
        isEmpty,
        welcome: renderProseIn(config.homeText ?? {}, language),
        maps: kindsWith("isPlaced").filter((kind) => kinds.includes(kind)),
        sections: kinds.map((kind) => ({ kind, name: t(`kinds.${kind}.many`), ...counts[kind] })),
        newest: newest.map(({ kind, entry }) => ({
          kind,
          ...withShownName(entry, language),
          change: lastChangeText(entry, withKindWords(locale, req.site, kind)),
        })),
        pulse: describePulse(day, locale),
        busiest: {
          ...busiest,
          servers: busiest.servers.map((server) => ({
            ...server,
            sparkline: sparklineOfServer(server, day, locale),
          })),
        },
        yours: favorites.slice(0, SERVERS),
        visited: visited.map((entry) => ({ ...entry, ...localName(entry, language) })),
        deal,
        now,
        endText,
        sales: others.slice(0, SALES),
        moreSales: Math.max(0, others.length - SALES),
      },
    );
  };
}

interface NewEntry {
  readonly kind: CatalogueKind;
  readonly entry: ChangedEntry;
}

/** The newest changes, the same number of each kind, so that an import of one does not hide the others. */
async function listNewest(db: Db): Promise<NewEntry[]> {
  const lists = await Promise.all(
    catalogueKinds().map(async (kind) => {
      const entries = await listLastChanged(db, kind, NEWEST);
      return entries.map((entry, place) => ({ kind, entry, place }));
    }),
  );
  const byTime = (one: NewEntry, other: NewEntry) => +other.entry.updated_at - +one.entry.updated_at;
  return lists
    .flat()
    .toSorted((one, other) => one.place - other.place || byTime(one, other))
    .slice(0, NEWEST)
    .toSorted(byTime);
}

/** One format each; the pages of the kinds and the shop link to all. */
function listFeeds(kinds: CatalogueKind[], site: Site, locale: Locale): FeedLink[] {
  return [
    ...kinds
      .filter((kind) => has(kind, "hasFeed"))
      .flatMap((kind) => kindFeedLinks(site, kind, locale, undefined, ["rss"])),
    ...(site.hasSection("discounts") ? discountFeedLinks(site, locale, undefined, ["rss"]) : []),
  ];
}

function withShownName(entry: ChangedEntry, language: Language) {
  const { id, category, picture, image, updated_at } = entry;
  return { id, category, picture, image, updated_at, ...localName(entry, language) };
}

function withName(sale: ReturnType<typeof winning>[number], language: Language) {
  return { ...sale, ...localName({ name: sale.item_name, names: sale.item_names }, language) };
}

/** The sale with the greatest saving in percent; undefined if none saves a whole percent. */
function greatest<Sale extends ReturnType<typeof winning>[number]>(sales: readonly Sale[]): Sale | undefined {
  const percent = (sale: Sale | undefined) => sale?.saved?.percent ?? 0;
  const best = sales.reduce<Sale | undefined>(
    (one, other) => (percent(other) > percent(one) ? other : one),
    undefined,
  );
  return percent(best) >= 1 ? best : undefined;
}

/** Each item's winning discount, with what it saves; those that end soonest first. */
function winning(discounts: ActiveDiscount[]) {
  const byItem = new Map<string, ActiveDiscount>();
  for (const discount of discounts) {
    const wins = discount.new_price !== null && discount.new_price === discount.current_price;
    if (wins && !byItem.has(discount.item_key)) byItem.set(discount.item_key, discount);
  }
  return [...byItem.values()].map((discount) => ({
    ...discount,
    saved: discount.new_price === null ? undefined : saving(discount.old_price, discount.new_price),
  }));
}

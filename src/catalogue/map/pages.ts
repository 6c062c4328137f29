import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { positionText } from "../../records/position.ts";
import { groundOf } from "../../records/small-map/ground.ts";
import { legendOf } from "../../records/small-map/price-steps.ts";
import { drawMap, isOnMap } from "../../records/small-map/static-map.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { sendBody } from "../../web/answers/send.ts";
import type { SiteLook } from "../../web/look/look.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { languageVary, localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { id, text, wholeNumber } from "../../web/request/params.ts";
import { admitFew } from "../../web/server/admission.ts";
import { kindsWith, type MapKind } from "../../words/kinds/kinds.ts";
import { paths } from "../../words/urls.ts";
import { inNameOrder } from "../../words/vocabulary/category-text.ts";
import { LOCAL_ORDER_CAP } from "../list-queries.ts";
import type { ListedPoint, MapPoint } from "./point.ts";
import { limitsOf, mapAddress, pointOf, priceText, stepOf } from "./points.ts";
import { countPlaced, findPlaced, listPlaced, listPlacedCategories, type PlacedEntry } from "./queries.ts";

const PAGE_SIZE = 50;
/** Only the most popular: more would clutter the map and be too much for old phones. The list has all. */
const POINTS = 5000;

const filterInput = { category: text(1, 300).optional(), at: id().optional() };
export const mapInput = z.object({ ...filterInput, page: wholeNumber(1, 1_000_000).default(1) });
export const pointsInput = z.object(filterInput);

/** The filter of a map, from the query. */
type Filter = z.output<typeof pointsInput>;

/** Pages that show where houses and businesses are, on a map and in a list. */
export function mapPages(context: BaseContext & { look: SiteLook }): Router {
  const router = Router({ caseSensitive: true });
  const admit = admitFew();
  for (const kind of kindsWith("isPlaced")) {
    router.get(paths.map(kind), admit(showMap(context, kind)));
    router.get(paths.mapPoints(kind), admit(showPoints(context, kind)));
  }
  return router;
}

function showMap(
  { db: database, config, look }: BaseContext & { look: SiteLook },
  kind: MapKind,
): RequestHandler {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const input = parseInput(mapInput, req);
    const { category, at } = input;
    const locale = localeOf(req);
    const bounds = config.look.mapBounds;
    const [total, categories, chosen, drawn] = await Promise.all([
      countPlaced(db, kind, category),
      listPlacedCategories(db, kind),
      at === undefined ? undefined : findPlaced(db, kind, at),
      listPlaced(db, kind, category, { sort: "popularity", limit: POINTS, offset: 0 }),
    ]);
    const pagination = paginate(total, input.page, PAGE_SIZE);
    const { offset, limit } = pagination;
    const language = total <= LOCAL_ORDER_CAP ? locale.language : undefined;
    const listed = await listPlaced(db, kind, category, { sort: "name", limit, offset, language });
    const limits = limitsOf(drawn);
    const onMap = drawn.filter(({ place }) => isOnMap(bounds, place));
    const title = titleOf(
      locale,
      kind,
      category && req.site.category(category, locale.language).text,
      pagination.page,
    );
    const isUnknown = (category !== undefined && total === 0) || (at !== undefined && !chosen);
    const words = { ...locale, vocabulary: req.site.vocabulary };
    const priced = (price: number | undefined) =>
      price === undefined ? undefined : priceText(price, kind, words);
    const described = (entry: PlacedEntry): ListedPoint => ({
      ...pointOf(entry, kind, limits, words),
      position: positionText({ x: entry.place.x, y: entry.place.y }),
      isOutside: !isOnMap(bounds, entry.place),
    });
    await renderPage(
      req,
      res,
      "catalogue/map/map",
      {
        title,
        description: locale.t(`kinds.${kind}.map.description`),
        canonical: mapAddress(paths.map(kind), { category, page: pagination.page }),
        noindex: at !== undefined || isUnknown,
        ...(isUnknown && { status: 404 }),
        scripts: ["web/list", "catalogue/map/map"],
        styles: ["catalogue/map/map"],
        changesWith: ["catalogue"],
      },
      {
        kind,
        title,
        category,
        categories: inNameOrder(
          categories.map((category) => ({ category, ...req.site.category(category, locale.language) })),
          (category) => req.site.category(category, locale.language).text,
        ),
        at,
        chosen: chosen && described(chosen),
        isDrawn: chosen !== undefined && isOnMap(bounds, chosen.place),
        entries: listed.map(described),
        pagination,
        map: drawMap(
          bounds,
          onMap.map((entry) => ({ place: entry.place, step: stepOf(entry, limits) })),
        ),
        bounds,
        ground: groundOf(
          look,
          bounds,
          drawn.some(({ demo }) => demo),
        ),
        legend: legendOf(limits).map(({ step, from, below }) => ({
          step,
          from: priced(from),
          below: priced(below),
        })),
        hasPrices: drawn.some(({ price }) => price !== undefined),
        drawn: onMap.length,
        isCut: total > POINTS,
        mapUrl: (changes: Filter & { page?: number }) =>
          mapAddress(locale.paths.map(kind), { category, ...changes }),
        pointsUrl: mapAddress(locale.paths.mapPoints(kind), { category, at }),
      },
    );
  };
}

/** The points for the page's script: the same ones as in the static map, with their texts. */
function showPoints({ db: database, config }: BaseContext, kind: MapKind): RequestHandler {
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    const { category, at } = parseInput(pointsInput, req);
    const locale = localeOf(req);
    const bounds = config.look.mapBounds;
    const [drawn, chosen] = await Promise.all([
      listPlaced(db, kind, category, { sort: "popularity", limit: POINTS, offset: 0 }),
      at === undefined ? undefined : findPlaced(db, kind, at),
    ]);
    const limits = limitsOf(drawn);
    const entries = drawn.filter(({ id }) => id !== chosen?.id).concat(chosen ?? []);
    const categoryOf = (word: string | null) => {
      if (word === null) return { category: word, categoryLang: undefined };
      const { text, lang } = req.site.category(word, locale.language);
      return { category: text, categoryLang: lang };
    };
    const points = entries
      .filter(({ place }) => isOnMap(bounds, place))
      .map(
        (entry): MapPoint => ({
          ...pointOf(entry, kind, limits, { ...locale, vocabulary: req.site.vocabulary }),
          ...categoryOf(entry.category),
          href: locale.paths.entry(kind, entry.id),
        }),
      );
    await sendPoints(req, res, points);
  };
}

async function sendPoints(req: Request, res: Response, points: readonly MapPoint[]): Promise<void> {
  res.set("X-Robots-Tag", "noindex");
  if (req.viewer) res.set("Cross-Origin-Resource-Policy", "same-origin");
  await sendBody(req, res, {
    type: "application/json",
    body: JSON.stringify({ points }),
    cacheControl: req.viewer || req.target.hadKey ? "private, no-cache" : "public, no-cache",
    vary: ["Cookie", ...languageVary(req)],
    changesWith: ["catalogue"],
  });
}

function titleOf(
  { t, format }: ReturnType<typeof localeOf>,
  kind: MapKind,
  category: string | undefined,
  page: number,
): string {
  const whole = t(`kinds.${kind}.map.title`);
  const title = category === undefined ? whole : t("map.title_category", { title: whole, category });
  return page === 1 ? title : t("map.title_page", { title, figure: format.number(page) });
}

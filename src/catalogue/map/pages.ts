import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { positionText } from "../../records/position.ts";
import { createLegend, placeGlyph, priceLimits, priceStep } from "../../records/small-map/marks.ts";
import { chooseGround, drawMap, isOnMap } from "../../records/small-map/static-map.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { sendBody } from "../../web/answers/send.ts";
import type { SiteLook } from "../../web/look/look.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import { parseInput } from "../../web/request/input.ts";
import { type Locale, languageVary, localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { id, text, wholeNumber } from "../../web/request/params.ts";
import { admitFew } from "../../web/server/admission.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { kindsWith, type MapKind } from "../../words/kinds/kinds.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { inNameOrder } from "../../words/vocabulary/category-text.ts";
import { tintClass } from "../../words/vocabulary/tint.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { attributeText } from "../attributes.ts";
import { LOCAL_ORDER_CAP } from "../list/queries.ts";
import type { ListedPoint, MapPoint, Point } from "./clusters.ts";
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
    const limits = computeLimits(drawn);
    const onMap = drawn.filter(({ place }) => isOnMap(bounds, place));
    const title = renderTitle(
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
      ...toPoint(entry, kind, limits, words),
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
        dependsOn: ["catalogue"],
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
          onMap.map((entry) => ({ place: entry.place, step: findStep(entry, limits) })),
        ),
        bounds,
        ground: chooseGround(
          look,
          bounds,
          drawn.some(({ demo }) => demo),
        ),
        legend: createLegend(limits).map(({ step, from, below }) => ({
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
    const limits = computeLimits(drawn);
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
          ...toPoint(entry, kind, limits, { ...locale, vocabulary: req.site.vocabulary }),
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
    dependsOn: ["catalogue"],
  });
}

function renderTitle(
  { t, format }: ReturnType<typeof localeOf>,
  kind: MapKind,
  category: string | undefined,
  page: number,
): string {
  const whole = t(`kinds.${kind}.map.title`);
  const title = category === undefined ? whole : t("map.title_category", { title: whole, category });
  return page === 1 ? title : t("map.title_page", { title, figure: format.number(page) });
}

/** The limits of the price steps of a map, by the entries drawn on it. */
function computeLimits(entries: readonly PlacedEntry[]): readonly number[] {
  return priceLimits(entries.flatMap(({ price }) => price ?? []));
}

function findStep({ price }: PlacedEntry, limits: readonly number[]): number | undefined {
  return price === undefined || limits.length === 0 ? undefined : priceStep(price, limits);
}

/** An entry as the map and its list show it; `limits` are those of the map's price steps. */
function toPoint(
  entry: PlacedEntry,
  kind: MapKind,
  limits: readonly number[],
  locale: Pick<Locale, "language" | "format" | "t"> & { vocabulary: Vocabulary },
): Point {
  const { language, vocabulary } = locale;
  const own = entry.category === null ? {} : vocabulary.categoryLook(entry.category);
  const { id, category, place, price } = entry;
  return {
    id,
    ...localName(entry, language),
    category,
    glyph: placeGlyph(kind, category, own.glyph),
    tint: own.colour === undefined ? undefined : tintClass(own.colour),
    x: place.x,
    y: place.y,
    price: price === undefined ? undefined : priceText(price, kind, locale),
    step: findStep(entry, limits),
  };
}

/** A price as the pages of the kind write it. */
function priceText(
  price: number,
  kind: MapKind,
  { vocabulary, ...locale }: Pick<Locale, "language" | "format" | "t"> & { vocabulary: Vocabulary },
): string {
  return attributeText("price", price, { ...locale, vocabulary: vocabulary.of(kind) });
}

/** The address of one view of a map; omits defaults. */
function mapAddress(
  path: string,
  { category, at, page = 1 }: { category?: string; at?: string; page?: number },
): string {
  return withQuery(path, { category, at, page: page === 1 ? undefined : page });
}

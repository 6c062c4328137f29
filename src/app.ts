import type { RequestListener } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import express, { type Express, type RequestHandler, Router } from "express";
import { auditPages } from "./accounts/audit/pages.ts";
import { favoritePages } from "./accounts/favorites/pages.ts";
import { favoritesByMark } from "./accounts/favorites/queries.ts";
import { keyGrantPages } from "./accounts/keys/grants/pages.ts";
import { KnownKeys } from "./accounts/keys/known-keys.ts";
import { apiKeyPages } from "./accounts/keys/pages.ts";
import { createAttemptLimits } from "./accounts/limits.ts";
import { offerLogIn, showTypedForm } from "./accounts/log-in.ts";
import { accountPages } from "./accounts/pages.ts";
import { peoplePages } from "./accounts/people/pages.ts";
import { apiEndpoints } from "./api-endpoints.ts";
import { FacetsMemory } from "./catalogue/facets-memory.ts";
import { feedRoutes } from "./catalogue/feed.ts";
import { mapPages } from "./catalogue/map/pages.ts";
import { cataloguePages } from "./catalogue/pages.ts";
import { ChangeFeed } from "./db/change-feed.ts";
import { LiveSettings } from "./db/live-settings.ts";
import { Previews } from "./discovery/previews/previews.ts";
import { sitePreview, sitePreviewRoutes } from "./discovery/previews/site-preview.ts";
import { sitemapRoutes } from "./discovery/sitemap/routes.ts";
import { readExampleCalls } from "./exchange/docs/examples.ts";
import { docsPages } from "./exchange/docs/pages.ts";
import { editPages } from "./exchange/edit/pages.ts";
import { importPages } from "./exchange/imports/pages.ts";
import { uploadPages } from "./exchange/imports/upload-pages.ts";
import { recordKinds } from "./exchange/read/record-kinds.ts";
import { RecordWriter } from "./exchange/write/record-writer.ts";
import { createRequestListener } from "./gateway.ts";
import { operatorPages, type WriteBackup } from "./home/operator/pages.ts";
import { homePages } from "./home/pages.ts";
import { sitePages } from "./home/site-form/pages.ts";
import { vocabularyFormPages } from "./home/vocabulary-form/pages.ts";
import { nicknamePages } from "./nicknames/pages.ts";
import { unsubscribeRoutes } from "./notifications/email/unsubscribe.ts";
import { operatorDeliveryPages } from "./notifications/operator-pages.ts";
import { notificationPages } from "./notifications/pages.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { webhookPages } from "./notifications/webhooks/pages.ts";
import { DayCounts } from "./records/counts/day-counts.ts";
import { NonEmptySections } from "./records/non-empty-sections.ts";
import { operatorPicturePages } from "./records/pictures/operator/pages.ts";
import { PictureFiles, servePictures } from "./records/pictures/picture-files.ts";
import { DatabaseStore, type PictureStore } from "./records/pictures/store.ts";
import { TopVisits } from "./records/visits/visits.ts";
import { followWords } from "./records/word-queries.ts";
import type { LiveSearch } from "./search/live-search.ts";
import { MissedSearches } from "./search/missed-searches.ts";
import { offerSuggestions } from "./search/not-found-suggestions.ts";
import { openSearchRoutes } from "./search/opensearch.ts";
import { searchPages } from "./search/pages.ts";
import { serverAlertPages } from "./servers/alert-pages.ts";
import { badgeRoutes } from "./servers/badge.ts";
import { historyRoutes, serverPages } from "./servers/pages.ts";
import { findServerStates } from "./servers/queries.ts";
import { operatorDiscountPages } from "./shop/operator/pages.ts";
import { donatePages } from "./shop/pages.ts";
import { createSiteReader, provideSite } from "./site.ts";
import { closedPaths, type Endpoint } from "./web/api/endpoint.ts";
import { endpointRouter } from "./web/api/endpoint-router.ts";
import { documentOnce, type ExampleCalls, openapiRoute, type ReadDocument } from "./web/api/openapi-route.ts";
import { CallLimits } from "./web/limits/call-limits.ts";
import { showRefusals } from "./web/limits/limit-requests.ts";
import { announcementRoutes } from "./web/look/announcements.ts";
import { prepareLook, type SiteLook } from "./web/look/look.ts";
import { createOffline, serveAssets, siteRoutes, workerRoutes } from "./web/look/routes.ts";
import type { Metrics } from "./web/metrics/metrics.ts";
import { measureSite, metricsRoute } from "./web/metrics/serve-metrics.ts";
import type { AppConfig, BaseContext } from "./web/pages/context.ts";
import { pageErrorHandler } from "./web/pages/error-page.ts";
import { methodNotAllowed, notFound, problemHandler } from "./web/pages/errors.ts";
import { formErrorHandler } from "./web/request/form.ts";
import { readPathLanguage } from "./web/request/locale.ts";
import { parseQuery } from "./web/request/query-text.ts";
import { warnOfUntrustedProxy } from "./web/server/client-address.ts";
import { allowCrossOriginReads, refuseCrossSiteWrites } from "./web/server/cross-origin.ts";
import { healthRoute, readinessRoute } from "./web/server/health.ts";
import { requestLog } from "./web/server/log.ts";
import { answerWholeServer, isRead } from "./web/server/methods.ts";
import { keepAddressSecret, securityHeaders } from "./web/server/security.ts";
import { identifyCaller } from "./web/session/auth.ts";
import { createSessions } from "./web/session/session.ts";
import { handOutSession, loadViewer } from "./web/session/viewer.ts";
import { isHidden } from "./words/kinds/hidden-sections.ts";
import { paths } from "./words/urls.ts";
import { LiveVocabulary } from "./words/vocabulary/live.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The dependencies of pages, feeds and endpoints. */
interface AppContext extends BaseContext {
  readonly counts: DayCounts;
  readonly facets: FacetsMemory;
  readonly keys: KnownKeys;
  readonly look: SiteLook;
  readonly missedSearches: MissedSearches;
  readonly pictures: PictureStore;
  readonly previews: Previews;
  readonly search: LiveSearch;
  readonly sections: NonEmptySections;
  readonly settings: LiveSettings<AppConfig>;
  readonly topVisits: TopVisits;
  readonly writeBackup: WriteBackup | undefined;
}

/** `slowQueryDb` is `db` by default; without a feed, the versions are read for each request. */
type AppParts = Pick<AppContext, "assets" | "config" | "db" | "log" | "search"> &
  Partial<Pick<AppContext, "slowQueryDb" | "counts" | "keys" | "pictures" | FollowingPart>> & {
    readonly feed?: ChangeFeed;
    readonly stopping?: AbortSignal;
    /** In memory alone by default. */
    readonly limits?: CallLimits;
    readonly metrics?: Metrics | undefined;
    /** See `KnownReadersOptions.maxAgeMs`. */
    readonly readersMaxAgeMs?: number;
    readonly writeBackup?: WriteBackup;
  };

/** The parts that follow the change feed. */
type FollowingPart = "sections" | "settings" | "vocabulary";

/** Answers requests: from memory, else by the Express app. */
export type SiteListener = RequestListener & { readonly express: Express };

/**
 * The whole site. It does not listen. Once `stopping` aborts it is not ready, but still answers. When operators save
 * settings, it is built again with these; what was requested before finishes with the old ones.
 */
export function createApp(given: AppParts): SiteListener {
  const { db, log, metrics, search, slowQueryDb = db } = given;
  const feed = given.feed ?? new ChangeFeed({ db, log, maxAgeMs: 0 });
  const { sections = new NonEmptySections(), vocabulary = new LiveVocabulary() } = given;
  const { settings = new LiveSettings(given.config) } = given;
  const build = () => buildSite({ ...given, config: settings.config, feed, sections, settings, vocabulary });
  let site = build();
  settings.onChange(() => {
    site = build();
  });
  search.useWords(() => vocabulary.of({ withDefaults: sections.isDemo }));
  feed.follow("notice what is on the site", (versions) => sections.follow(slowQueryDb, versions));
  feed.follow("notice changed words of records", (versions) =>
    followWords(slowQueryDb, vocabulary, versions),
  );
  feed.follow("notice saved settings", (versions) => settings.follow(slowQueryDb, versions.settings));
  if (metrics)
    measureSite(metrics, { remembered: () => site.answer.sizes(), searchReady: () => search.ready });
  const answer: RequestListener = (req, res) => site.answer(req, res);
  return Object.defineProperty(answer, "express", { get: () => site.express }) as SiteListener;
}

function buildSite({
  assets,
  config,
  db,
  log,
  counts = new DayCounts({ db, log }),
  feed,
  keys = new KnownKeys({ db, feed, log }),
  limits = new CallLimits({ db, log, secret: config.sessionSecret }),
  metrics,
  slowQueryDb = db,
  pictures = new DatabaseStore(db),
  readersMaxAgeMs,
  search,
  sections,
  settings,
  stopping = new AbortController().signal,
  vocabulary,
  writeBackup,
}: AppParts & Required<Pick<AppParts, "feed" | FollowingPart>>) {
  const { baseUrl, imageHosts } = config;
  const sessions = createSessions({
    db,
    baseUrl,
    secret: config.sessionSecret,
    days: config.sessionDays,
    idleDays: config.sessionIdleDays,
    findFavorites: favoritesByMark,
    readersMaxAgeMs: readersMaxAgeMs ?? (feed.maxAgeMs === 0 ? 0 : undefined),
  });
  const pictureFiles = new PictureFiles(pictures);
  const context: AppContext = {
    assets,
    config,
    counts,
    db,
    facets: new FacetsMemory(slowQueryDb, { mayRest: feed.maxAgeMs > 0 }),
    keys,
    log,
    look: prepareLook(config.look, assets),
    missedSearches: new MissedSearches(counts),
    slowQueryDb,
    pictures,
    previews: new Previews(pictureFiles, assets),
    search,
    sections,
    sessions,
    settings,
    topVisits: new TopVisits(feed.maxAgeMs === 0 ? 0 : undefined),
    vocabulary,
    writeBackup,
  };
  const app = express();
  app.set("trust proxy", config.trustProxy);
  app.set("query parser", parseQuery);
  app.set("case sensitive routing", true);
  app.set("etag", "strong");
  app.set("views", path.join(ROOT, "views"));
  app.set("view engine", "ejs");
  app.enable("view cache");
  app.disable("x-powered-by");

  app.use(
    requestLog(log),
    warnOfUntrustedProxy(log),
    securityHeaders(baseUrl, imageHosts),
    answerWholeServer,
  );
  app.use("/assets", serveAssets(assets));
  app.use("/pictures", servePictures(pictureFiles));
  app.use(paths.health(), healthRoute());
  const readSite = createSiteReader({ ...context, feed }, sitePreview);
  const site = provideSite(readSite);
  app.use(showRefusals(site));
  const database = () => feed.isUp();
  app.use(paths.readiness(), readinessRoute({ database, search: () => search.ready, stopping }));
  const { sessionSecret: secret, metrics: { token } = {} } = config;
  if (metrics && token !== undefined) app.use(paths.metrics(), metricsRoute(metrics, token));
  const writer = new RecordWriter(slowQueryDb, recordKinds(), feed);
  const endpoints = apiEndpoints({ facets: context.facets, search, writer });
  const shared = { db, baseUrl, secret, readSite, sessions: context.sessions };
  const calls = readExampleCalls(endpoints, baseUrl);
  const readDocument = documentOnce(endpoints, calls, context);
  app.use("/api", apiRouter(context, { endpoints, shared, siteData: site, readDocument }));
  // Before the language is read: these are the same in every language.
  const offline = createOffline(app, context);
  app.use(sitemapRoutes({ config, db: slowQueryDb }), workerRoutes(context, offline));
  app.get(paths.session(), handOutSession(context));
  app.use(readPathLanguage);
  app.use(siteRoutes(context, offline));
  app.use(
    site,
    feedRoutes(context),
    openSearchRoutes(context),
    historyRoutes(context),
    badgeRoutes(context),
    notificationRoutes(context),
  );
  // From here on errors are shown as pages.
  app.use(unsubscribeRoutes(context), pageRouter(context, { endpoints, readDocument, calls, writer }));
  app.use(problemHandler(baseUrl));
  const answer = createRequestListener(context, { app, endpoints, feed, limits, metrics });
  return { answer, express: app };
}

interface ApiParts {
  readonly endpoints: Endpoint[];
  readonly shared: Parameters<typeof endpointRouter>[1];
  readonly siteData: RequestHandler;
  readonly readDocument: ReadDocument;
}

function apiRouter(
  { config, keys, sessions }: AppContext,
  { endpoints, shared, siteData, readDocument }: ApiParts,
): Router {
  const { baseUrl } = config;
  const closed = closedPaths(endpoints).map(belowApi);
  const router = Router({ caseSensitive: true });
  router.use(allowCrossOriginReads(closed), refuseCrossSiteWrites(baseUrl));
  router.use(identifyCaller(sessions, keys));
  router.use(belowApi(paths.openapi()), openapiRoute(readDocument));
  router.use(endpointRouter(endpoints, shared));
  router.use((_req, _res, next) => next(notFound("path")));
  router.use(formErrorHandler(baseUrl, siteData), problemHandler(baseUrl));
  return router;
}

function belowApi(path: string): string {
  return path.slice("/api".length);
}

function pageRouter(
  context: AppContext,
  documented: Pick<ApiParts, "endpoints" | "readDocument"> & { calls: ExampleCalls; writer: RecordWriter },
): Router {
  const router = Router({ caseSensitive: true });
  // First, because error pages must not repeat a mailed link either.
  router.use([paths.newPassword(":token"), paths.confirmEmail(":token")], keepAddressSecret);
  router.use(refuseCrossSiteWrites(context.config.baseUrl), loadViewer(context), offerLogIn(context));
  router.get(paths.typedForm(), showTypedForm);
  router.use(announcementRoutes(context));
  router.use(offerSuggestions(context));
  // Maps before the catalogue, whose entry pages would match their paths.
  router.use(
    homePages(context),
    sitePreviewRoutes(context),
    searchPages(context, findServerStates),
    mapPages(context),
    cataloguePages(context),
  );
  router.use(serverPages(context), serverAlertPages(context));
  // Before the inbox, which would take their paths for notifications.
  router.use(webhookPages(context));
  if (!isHidden("shop")) router.use(donatePages(context));
  if (!isHidden("nicknames")) router.use(nicknamePages(context));
  router.use(favoritePages(context, findServerStates), notificationPages(context));
  router.use(accountPages(context), apiKeyPages(context), docsPages(context, documented));
  router.use(
    operatorPages(context),
    auditPages(context),
    peoplePages(context),
    editPages({ ...context, ...createAttemptLimits(context.db), writer: documented.writer }),
    uploadPages(context),
    importPages(context),
    ...(isHidden("discounts") ? [] : [operatorDiscountPages(context)]),
    operatorDeliveryPages(context),
    sitePages(context),
    keyGrantPages(context),
  );
  router.use(operatorPicturePages(context), vocabularyFormPages(context));
  router.use(refuseUnknown);
  router.use(pageErrorHandler);
  return router;
}

/** Answers an unknown path, or a write to a path that only reads. */
const refuseUnknown: RequestHandler = (req, _res, next) => {
  next(isRead(req) ? notFound("page") : methodNotAllowed(["GET", "HEAD"]));
};

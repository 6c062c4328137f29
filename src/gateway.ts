import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express } from "express";
import type { KnownKeys } from "./accounts/keys/known-keys.ts";
import { FILTER_PREFIXES } from "./catalogue/filters.ts";
import type { ChangeFeed } from "./db/change-feed.ts";
import { pageParameters } from "./page-parameters.ts";
import type { DayCounts } from "./records/counts/day-counts.ts";
import type { NonEmptySections } from "./records/non-empty-sections.ts";
import { countVisits } from "./records/visits/visits.ts";
import type { LiveSearch } from "./search/live-search.ts";
import type { MissedSearches } from "./search/missed-searches.ts";
import type { CachedEndpoint } from "./web/answers/cache-lookup.ts";
import { type RememberedFront, rememberAnswers } from "./web/answers/remembered-answers.ts";
import { type Endpoint, lookUpByPath, type ReadEndpoint } from "./web/api/endpoint.ts";
import type { CallLimits } from "./web/limits/call-limits.ts";
import { limitRequests } from "./web/limits/limit-requests.ts";
import { announcementsKey } from "./web/look/announcements.ts";
import type { Metrics } from "./web/metrics/metrics.ts";
import { measureRequests } from "./web/metrics/serve-metrics.ts";
import type { BaseContext } from "./web/pages/context.ts";
import { withoutLanguage } from "./web/request/locale.ts";
import { setOwnHeaders } from "./web/server/headers.ts";
import { knownParameters, readTarget } from "./web/server/target.ts";
import { catalogueKinds } from "./words/kinds/kinds.ts";
import { paths } from "./words/urls.ts";

/** The parts of the app's context that are needed before the app. */
interface GatewayContext extends BaseContext {
  readonly counts: DayCounts;
  readonly keys: KnownKeys;
  readonly missedSearches: MissedSearches;
  readonly search: LiveSearch;
  readonly sections: NonEmptySections;
}

interface GatewayParts {
  readonly app: Express;
  readonly endpoints: Endpoint[];
  readonly feed: ChangeFeed;
  readonly limits: CallLimits;
  readonly metrics: Metrics | undefined;
}

/** The parameters that an endpoint reads from a query string; `hasFilters`: also attributes that the data names. */
function parametersOf({ path, input, hasFilters }: ReadEndpoint) {
  return { path, parameters: knownParameters(input.shape, hasFilters ? FILTER_PREFIXES : undefined) };
}

/** The app behind the cache, and the app behind the limits; measured only with metrics on. */
export function createRequestListener(
  context: GatewayContext,
  { app, endpoints, feed, limits, metrics }: GatewayParts,
): RequestListener & Pick<RememberedFront, "sizes"> {
  const { config, counts, keys, log, missedSearches, search, sections, sessions, vocabulary } = context;
  const reads = endpoints.filter((endpoint) => endpoint.type === "read");
  const endpointAt = lookUpByPath<{ path: string } & CachedEndpoint, CachedEndpoint>(
    [{ path: paths.openapi(), access: "none" }, ...reads],
    (endpoint) => endpoint,
  );
  const parametersAt = lookUpByPath(
    [...reads.map(parametersOf), ...pageParameters()],
    (read) => read.parameters,
  );
  const remembered = rememberAnswers({
    endpointAt,
    sessions,
    keys,
    feed,
    epoch: () => search.epoch,
    siteEpoch: () => vocabulary.version + sections.version,
    announcementsKey: (req) => announcementsKey(req, config.announcements),
    log,
  });
  const limit = limitRequests(context, { endpoints, limits, trust: app.get("trust proxy fn") });
  const count = countVisits(counts, catalogueKinds());
  const ask = (req: IncomingMessage, res: ServerResponse) => {
    setOwnHeaders(req, res);
    app(req, res);
  };
  const answer: RequestListener = (message, res) => {
    const req = readTarget(message, (path) => parametersAt(path) ?? parametersAt(withoutLanguage(path)));
    count(req, res);
    missedSearches.watch(req, res);
    const pass = () => remembered(req, res, () => ask(req, res));
    limit({ req, res, pass, showRefusal: () => ask(req, res) });
  };
  const { sizes } = remembered;
  return Object.assign(metrics ? measureRequests(metrics, answer) : answer, { sizes });
}

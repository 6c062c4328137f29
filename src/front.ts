import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express } from "express";
import type { KnownKeys } from "./api-keys/known-keys.ts";
import { FILTER_PREFIXES } from "./catalogue/filters.ts";
import type { DayCounts } from "./counts/day-counts.ts";
import type { DataVersions } from "./db/data-versions.ts";
import type { ReadEndpoint } from "./http/asked.ts";
import type { BaseContext } from "./http/context.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { lookUpByPath } from "./http/endpoint-paths.ts";
import { withoutLanguage } from "./http/locale.ts";
import { setOwnHeaders } from "./http/own-headers.ts";
import { rememberAnswers } from "./http/remembered-answers.ts";
import { knownParameters, readTarget } from "./http/target.ts";
import { catalogueKinds } from "./kinds/kinds.ts";
import type { CallLimits } from "./limits/call-limits.ts";
import { limitRequests } from "./limits/limit-requests.ts";
import { measureSite } from "./metrics/measure-process.ts";
import { measureRequests } from "./metrics/measure-requests.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { pageParameters } from "./page-parameters.ts";
import type { FilledSections } from "./records/filled-sections.ts";
import type { LiveSearch } from "./search/live-search.ts";
import type { MissedSearches } from "./search/missed-searches.ts";
import { paths } from "./urls.ts";
import { countVisits } from "./visits/count-visits.ts";

/** The parts of the app's context that are needed before the app. */
interface FrontContext extends BaseContext {
  readonly counts: DayCounts;
  readonly keys: KnownKeys;
  readonly missedSearches: MissedSearches;
  readonly search: LiveSearch;
  readonly sections: FilledSections;
}

interface FrontParts {
  readonly app: Express;
  readonly endpoints: Endpoint[];
  readonly limits: CallLimits;
  readonly metrics: Metrics | undefined;
  readonly versions: DataVersions;
}

/** The parameters that an endpoint reads from a query string; `hasFilters`: also attributes that the data names. */
function parametersOf({ path, input, hasFilters }: Endpoint) {
  return { path, parameters: knownParameters(input.shape, hasFilters && FILTER_PREFIXES) };
}

/** The app behind the cache, and the app behind the limits; measured only with metrics on. */
export function putFront(
  context: FrontContext,
  { app, endpoints, limits, metrics, versions }: FrontParts,
): RequestListener {
  const { counts, keys, log, missedSearches, search, sections, sessions, vocabulary } = context;
  const reads = endpoints.filter(({ method }) => method === "GET");
  const endpointAt = lookUpByPath<{ path: string } & ReadEndpoint, ReadEndpoint>(
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
    versions,
    epoch: () => search.epoch,
    siteEpoch: () => vocabulary.version + sections.version,
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
  if (!metrics) return answer;
  measureSite(metrics, { remembered: remembered.sizes, searchReady: () => search.ready });
  return measureRequests(metrics, answer);
}

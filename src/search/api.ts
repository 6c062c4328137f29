import { z } from "zod";
import { type Endpoint, readEndpoint } from "../web/api/endpoint.ts";
import { languageTag, searchText, wholeNumber } from "../web/request/params.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { API_SEARCH_KINDS, byApiSearchKind } from "../words/kinds/kinds.ts";
import { type SearchableKind, searchableKinds } from "../words/kinds/searchable-kinds.ts";
import { fullSearchOutput, globalSearchOutput, type Hit, kindSearchOutput } from "./answers.ts";
import {
  type FindServerFigures,
  figuresShown,
  readFigures,
  UNKNOWN_FIGURES,
  UNKNOWN_OFFER,
} from "./figures.ts";
import { type KindResult, searchAll, searchKind } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";

const limit = wholeNumber(1, 50).default(10);

const globalSearchInput = z.object({
  q: searchText,
  limit,
  lang: languageTag,
});

const kindSearchInput = z.object({
  q: searchText,
  limit,
  lang: languageTag,
  offset: wholeNumber(0, 1000).default(0),
});

function searchEverything(search: LiveSearch): Endpoint {
  return readEndpoint({
    path: "/api/search",
    operationId: "search",
    access: "none",
    input: globalSearchInput,
    output: globalSearchOutput,
    cache: { dependsOn: ["search"] },
    handle: async ({ q, limit, lang: language }, { baseUrl }) => {
      const range = { limit, language, baseUrl };
      const found: Partial<Record<SearchableKind, KindResult>> = await searchAll(
        search,
        shownKinds(),
        q,
        range,
      );
      // A program finds every list of the interface, also of a kind that is switched off.
      const results = byApiSearchKind((kind) => found[kind]?.results ?? []);
      return { query: q, ...results };
    },
  });
}

/** The endpoints of global search, of each kind that the interface names, and of everything together. */
export function searchEndpoints(search: LiveSearch, findServers: FindServerFigures): Endpoint[] {
  const ofKinds = shownKinds().map((kind) => kindSearch(search, kind));
  return [searchEverything(search), ...ofKinds, fullSearch(search, findServers)];
}

function shownKinds() {
  return API_SEARCH_KINDS.filter((kind) => !isHidden(kind));
}

/** As `/api/search`, whose kinds are fixed, with everything else that the site's search finds. */
function fullSearch(search: LiveSearch, findServers: FindServerFigures): Endpoint {
  const kinds = searchableKinds();
  return readEndpoint({
    path: "/api/search/all",
    operationId: "searchCatalogue",
    access: "none",
    input: globalSearchInput,
    output: fullSearchOutput(),
    handle: async ({ q, limit, lang: language }, { db, baseUrl }) => {
      const found: Partial<Record<SearchableKind, KindResult>> & Record<"servers", KindResult> =
        await searchAll(search, kinds, q, { limit, language, baseUrl });
      const [servers, shop] = [found.servers.results, found.shop?.results ?? []];
      const figures = await readFigures(db, { servers, shop }, findServers);
      const results = Object.fromEntries(kinds.map((kind) => [kind, found[kind]?.results ?? []])) as Record<
        SearchableKind,
        Hit[]
      >;
      return {
        query: q,
        ...results,
        servers: servers.map((hit) => ({ ...hit, ...(figures.servers.get(hit.id) ?? UNKNOWN_FIGURES) })),
        shop: shop.map((hit) => ({ ...hit, ...(figures.shop.get(hit.id) ?? UNKNOWN_OFFER) })),
      };
    },
    cache: ({ servers, shop }) => {
      // Every item of the shop has a currency: one without could not be read.
      if (shop.some(({ currency }) => currency === null)) return "never";
      return figuresShown(servers.length > 0, shop.length > 0);
    },
  });
}

function kindSearch(search: LiveSearch, kind: (typeof API_SEARCH_KINDS)[number]): Endpoint {
  return readEndpoint({
    path: `/api/${kind}/search`,
    operationId:
      `search${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as `search${Capitalize<typeof kind>}`,
    access: "session-or-key",
    input: kindSearchInput,
    output: kindSearchOutput,
    cache: { dependsOn: ["search"] },
    handle: async ({ q, lang: language, ...range }, { baseUrl }) => ({
      query: q,
      ...(await searchKind(search, kind, q, { ...range, language, baseUrl })),
    }),
  });
}

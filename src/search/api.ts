import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { API_SEARCH_KINDS, byApiSearchKind, kindsWith, type SearchKind } from "../kinds/kinds.ts";
import { catalogueSearchOutput, globalSearchOutput, type Hit, kindSearchOutput } from "./answers.ts";
import { searchAll, searchKind } from "./hits.ts";
import { globalSearchInput, kindSearchInput } from "./schemas.ts";

const searchEverything = endpoint({
  method: "GET",
  path: "/api/search",
  operationId: "search",
  access: "none",
  input: globalSearchInput,
  output: globalSearchOutput,
  changesWith: ["search"],
  handle: async ({ q, limit }, { search, baseUrl, address }) => {
    const found = await searchAll(search, API_SEARCH_KINDS, q, { limit, baseUrl, address });
    const isCut = Object.values(found).some(({ truncated }) => truncated);
    const results = byApiSearchKind((kind) => found[kind].results);
    return { query: q, ...(isCut && { truncated: true as const }), ...results };
  },
  uncacheable: (_input, { truncated }) => truncated === true,
});

/** The endpoints of global search, of each kind that is built in, and of all kinds together. */
export function searchEndpoints(): Endpoint[] {
  return [searchEverything, ...API_SEARCH_KINDS.map(kindSearch), catalogueSearch()];
}

/** As `/api/search`, whose kinds are fixed, with the operator's own kinds. */
function catalogueSearch(): Endpoint {
  const kinds = kindsWith("isSearched");
  return endpoint({
    method: "GET",
    path: "/api/search/all",
    operationId: "searchCatalogue",
    access: "none",
    input: globalSearchInput,
    output: catalogueSearchOutput(),
    changesWith: ["search"],
    handle: async ({ q, limit }, { search, baseUrl, address }) => {
      const found = await searchAll(search, kinds, q, { limit, baseUrl, address });
      const isCut = Object.values(found).some(({ truncated }) => truncated);
      const results = Object.fromEntries(kinds.map((kind) => [kind, found[kind].results])) as Record<
        SearchKind,
        Hit[]
      >;
      return { query: q, ...(isCut && { truncated: true as const }), ...results };
    },
    uncacheable: (_input, { truncated }) => truncated === true,
  });
}

function kindSearch(kind: (typeof API_SEARCH_KINDS)[number]): Endpoint {
  return endpoint({
    method: "GET",
    path: `/api/${kind}/search`,
    operationId:
      `search${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as `search${Capitalize<typeof kind>}`,
    access: "session-or-key",
    input: kindSearchInput,
    output: kindSearchOutput,
    changesWith: ["search"],
    handle: async ({ q, ...range }, { search, baseUrl, address }) => ({
      query: q,
      ...(await searchKind(search, kind, q, { ...range, baseUrl, address })),
    }),
    uncacheable: (_input, { truncated }) => truncated === true,
  });
}

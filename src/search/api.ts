import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { bySearchKind, SEARCH_KINDS, type SearchKind } from "../kinds/kinds.ts";
import { globalSearchOutput, kindSearchOutput } from "./answers.ts";
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
    const found = await searchAll(search, q, { limit, baseUrl, address });
    const isCut = Object.values(found).some(({ truncated }) => truncated);
    const results = bySearchKind((kind) => found[kind].results);
    return { query: q, ...(isCut && { truncated: true as const }), ...results };
  },
  uncacheable: (_input, { truncated }) => truncated === true,
});

/** The endpoints of global search and of each kind. */
export const searchEndpoints: Endpoint[] = [searchEverything, ...SEARCH_KINDS.map(kindSearch)];

function kindSearch(kind: SearchKind): Endpoint {
  return endpoint({
    method: "GET",
    path: `/api/${kind}/search`,
    operationId: `search${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as `search${Capitalize<SearchKind>}`,
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

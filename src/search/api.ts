import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { SearchKind } from "../kinds/kinds.ts";
import { searchAll, searchKind } from "./hits.ts";
import { globalSearchInput, globalSearchOutput, kindSearchInput, kindSearchOutput } from "./schemas.ts";

const searchEverything = endpoint({
  method: "GET",
  path: "/api/search",
  operationId: "search",
  summary: "Search items, vehicles and scripts at once.",
  access: "none",
  input: globalSearchInput,
  output: globalSearchOutput,
  handle: async ({ q, limit }, { search, baseUrl }) => {
    const { items, vehicles, scripts } = await searchAll(search, q, { limit, baseUrl });
    return { query: q, items: items.results, vehicles: vehicles.results, scripts: scripts.results };
  },
});

/** The endpoints of global search and of the three kinds. */
export const searchEndpoints: Endpoint[] = [
  searchEverything,
  kindSearch("items", "Autocomplete items by name or id, in every language of a name."),
  kindSearch("vehicles", "Autocomplete vehicles by name or id, in every language of a name."),
  kindSearch("scripts", "Autocomplete scripts by name or id, in every language of a name."),
];

function kindSearch(kind: SearchKind, summary: string): Endpoint {
  return endpoint({
    method: "GET",
    path: `/api/${kind}/search`,
    operationId: `search${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    summary,
    access: "session-or-key",
    input: kindSearchInput,
    output: kindSearchOutput,
    handle: async ({ q, ...range }, { search, baseUrl }) => ({
      query: q,
      ...(await searchKind(search, kind, q, { ...range, baseUrl })),
    }),
  });
}

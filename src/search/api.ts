import { type Endpoint, endpoint, type OperationId } from "../http/endpoint.ts";
import type { SearchKind } from "../kinds/kinds.ts";
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
  handle: async ({ q, limit }, { search, baseUrl }) => {
    const { items, vehicles, scripts } = await searchAll(search, q, { limit, baseUrl });
    return { query: q, items: items.results, vehicles: vehicles.results, scripts: scripts.results };
  },
});

/** The endpoints of global search and of the three kinds. */
export const searchEndpoints: Endpoint[] = [
  searchEverything,
  kindSearch("items", "searchItems"),
  kindSearch("vehicles", "searchVehicles"),
  kindSearch("scripts", "searchScripts"),
];

function kindSearch(kind: SearchKind, operationId: OperationId): Endpoint {
  return endpoint({
    method: "GET",
    path: `/api/${kind}/search`,
    operationId,
    access: "session-or-key",
    input: kindSearchInput,
    output: kindSearchOutput,
    handle: async ({ q, ...range }, { search, baseUrl }) => ({
      query: q,
      ...(await searchKind(search, kind, q, { ...range, baseUrl })),
    }),
  });
}

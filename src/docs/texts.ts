import type { Access } from "../http/auth.ts";

/** Who may ask an endpoint, in words. */
export const ACCESS_TEXTS = {
  none: "docs.access.none",
  "session-or-key": "docs.access.session_or_key",
  login: "docs.access.login",
} as const satisfies Record<Access, string>;

/** What an endpoint does, by its operationId: in English what its declaration says. */
export const ENDPOINT_TEXTS = {
  search: "docs.endpoint.search",
  searchItems: "docs.endpoint.search_items",
  searchVehicles: "docs.endpoint.search_vehicles",
  searchScripts: "docs.endpoint.search_scripts",
  listOnline: "docs.endpoint.list_online",
  listServers: "docs.endpoint.list_servers",
  generateNicknames: "docs.endpoint.generate_nicknames",
  toggleServerFavorite: "docs.endpoint.toggle_server",
  toggleDonateFavorite: "docs.endpoint.toggle_donate",
  toggleEntityFavorite: "docs.endpoint.toggle_entity",
} as const;

/** What a parameter means, by its name, where need be with its operationId: in English what its declaration says. */
export const PARAMETER_TEXTS = {
  q: "docs.param.q",
  "search limit": "docs.param.limit_each",
  limit: "docs.param.limit",
  offset: "docs.param.offset",
  range: "docs.param.range",
  "listServers server_id": "docs.param.server_alone",
  server_id: "docs.param.server_id",
  country: "docs.param.country",
  mode: "docs.param.mode",
  sex: "docs.param.sex",
  first: "docs.param.first",
  last: "docs.param.last",
  min_len: "docs.param.min_len",
  max_len: "docs.param.max_len",
  count: "docs.param.count",
  seed: "docs.param.seed",
  item_key: "docs.param.item_key",
  kind: "docs.param.kind",
  entity_id: "docs.param.entity_id",
  wanted: "docs.param.wanted",
} as const;

export type DocsText =
  | (typeof ENDPOINT_TEXTS)[keyof typeof ENDPOINT_TEXTS]
  | (typeof PARAMETER_TEXTS)[keyof typeof PARAMETER_TEXTS];

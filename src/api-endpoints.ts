import { favoriteEndpoints } from "./accounts/favorites/api.ts";
import { userEndpoints } from "./exchange/mine/api.ts";
import { recordEndpoints } from "./exchange/read/api.ts";
import type { ListParts } from "./exchange/read/lists.ts";
import { recordKinds } from "./exchange/read/record-kinds.ts";
import { relationLists } from "./exchange/read/relation-list.ts";
import { mirrorEndpoints } from "./exchange/sync/api.ts";
import { relationWriteEndpoints, writeEndpoints } from "./exchange/write/api.ts";
import { measurementEndpoint } from "./exchange/write/measurements.ts";
import type { RecordWriter } from "./exchange/write/record-writer.ts";
import { nicknameEndpoints } from "./nicknames/api.ts";
import { relationEndpoints } from "./records/relations/api.ts";
import { searchEndpoints } from "./search/api.ts";
import { serverEndpoints } from "./servers/api.ts";
import { findServerStates } from "./servers/queries.ts";
import type { Endpoint } from "./web/api/endpoint.ts";
import { isHidden } from "./words/kinds/hidden-sections.ts";
import { paths } from "./words/urls.ts";

/** Dependencies of endpoints in addition to the request's context. */
export interface ApiParts extends ListParts {
  readonly writer: RecordWriter;
}

/**
 * Every JSON endpoint, for /api and its OpenAPI document; some answer by the kinds that there are. Sections that are
 * switched off have none.
 */
export function apiEndpoints({ writer, ...lists }: ApiParts): Endpoint[] {
  const fixed = [
    ...searchEndpoints(lists.search, findServerStates),
    ...relationEndpoints(),
    ...relationWriteEndpoints(writer),
    measurementEndpoint(),
    ...serverEndpoints,
    ...(isHidden("nicknames") ? [] : nicknameEndpoints),
    ...favoriteEndpoints().filter(({ path }) => !(isHidden("shop") && path === paths.toggleDonateFavorite())),
    ...userEndpoints(),
  ];
  // An own kind may be called as a fixed path is, such as `data`.
  const taken = new Set<string>(fixed.map(({ path }) => path));
  // Last, so that paths such as /api/items/search come before ids.
  // The same for both, so that the document describes each record once.
  const records = recordKinds();
  const ofKinds = [
    ...mirrorEndpoints(records),
    ...relationLists(),
    ...recordEndpoints(records, lists),
    ...writeEndpoints(records, writer),
  ];
  const all = [...fixed, ...ofKinds.filter(({ path }) => !taken.has(path))];
  // The same order as in the document: operations of a path are neighbours.
  return [...Map.groupBy(all, ({ path }) => path).values()].flat();
}

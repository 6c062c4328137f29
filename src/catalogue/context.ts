import type { Previews } from "../discovery/previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { SiteLook } from "../web/look/look.ts";
import type { BaseContext } from "../web/pages/context.ts";
import type { FacetsMemory } from "./facets-memory.ts";

/** The dependencies of the catalogue's pages. */
export interface CatalogueContext extends BaseContext {
  readonly facets: FacetsMemory;
  readonly look: SiteLook;
  readonly previews: Previews;
  readonly search: LiveSearch;
}

import type { BaseContext } from "../http/context.ts";
import type { Previews } from "../previews/previews.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { SiteLook } from "../site/look.ts";
import type { FacetsMemory } from "./facets-memory.ts";

/** The dependencies of the catalogue's pages. */
export interface CatalogueContext extends BaseContext {
  readonly facets: FacetsMemory;
  readonly look: SiteLook;
  readonly previews: Previews;
  readonly search: LiveSearch;
}

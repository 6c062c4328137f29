import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { FacetValue, KindFacets } from "./facets.ts";
import type { FacetsMemory } from "./facets-memory.ts";
import { type FilterInput, withoutUnknown } from "./filters.ts";
import { findValues } from "./list-counts-queries.ts";

/**
 * Filters without the values that no record of the kind has. What a facet offers is known; the database is asked for
 * others where its values are those of a sample, in which a rare one may be missing, or too many to offer.
 */
export async function refuseUnknown(
  { db, memory }: { db: Db; memory: FacetsMemory },
  kind: CatalogueKind,
  { version, facets: { isSample } }: { version: number; facets: KindFacets },
  filters: FilterInput[],
): Promise<FilterInput[]> {
  const known = new Map<string, Set<FacetValue>>();
  for (const { facet, filter } of filters) {
    const { key } = facet;
    const offered = new Set((facet.values ?? []).map(([value]) => value));
    known.set(key, offered);
    const others = (filter?.values ?? []).filter((value) => !offered.has(value));
    if (others.length === 0 || (facet.values !== null && !isSample)) continue;
    const name = `values ${JSON.stringify([key, others])}`;
    const found = await memory.counted(kind, version, name, () => findValues(db, kind, key, others));
    for (const value of found) offered.add(value);
  }
  return withoutUnknown(filters, (key, value) => known.get(key)?.has(value) === true);
}

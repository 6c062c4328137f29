import { LRUCache } from "lru-cache";
import type { Db } from "../db/connect.ts";
import { databaseFailure } from "../db/failures.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { askableFacts, chooseFacets, chooseSorts, chooseTelling, type KindFacets } from "./facets.ts";
import { readAttributeFacts, readStoredFacets, storeFacets } from "./facets-queries.ts";
import { countEntries, listCategories } from "./list-queries.ts";

const COUNTS_AT_MOST = 1_000;

interface Known {
  version: number;
  facets: KindFacets;
}

/**
 * What lists of a catalogue are filtered by, in the memory of this process, for as long as no record of the kind
 * changes. After a change whoever asks first looks through the records; another process that asks then reads what
 * that one has stored.
 */
export class FacetsMemory {
  readonly #db: Db;
  readonly #known = new Map<CatalogueKind, Known>();
  readonly #looking = new Map<string, Promise<Known>>();
  readonly #counts = new LRUCache<string, object>({ max: COUNTS_AT_MOST });

  constructor(db: Db) {
    this.#db = db;
  }

  /** The facets of a kind as its records are now, and the version of the kind that they are of. */
  async read(kind: CatalogueKind): Promise<Known> {
    const known = this.#known.get(kind);
    const { version, facets } = await readStoredFacets(this.#db, kind, known?.version);
    if (known?.version === version) return known;
    const found = facets ? { version, facets } : await this.#lookOnce(kind, version);
    this.#known.set(kind, found);
    return found;
  }

  /** What `count` resolves to, kept for as long as the kind stays as it is; `list` names what is counted. */
  async counted<Counts extends object>(
    kind: CatalogueKind,
    version: number,
    list: string,
    count: () => Promise<Counts>,
  ): Promise<Counts> {
    const key = `${kind} ${version} ${list}`;
    const kept = this.#counts.get(key);
    if (kept) return kept as Counts;
    const counts = await count();
    this.#counts.set(key, counts);
    return counts;
  }

  /** Requests that come while the records are looked through wait for the same look. */
  async #lookOnce(kind: CatalogueKind, version: number): Promise<Known> {
    const key = `${kind} ${version}`;
    const look = this.#looking.get(key) ?? this.#look(kind, version);
    this.#looking.set(key, look);
    try {
      return await look;
    } finally {
      this.#looking.delete(key);
    }
  }

  /** What is committed meanwhile may be in it already; it has another version, so that it is looked at again. */
  async #look(kind: CatalogueKind, version: number): Promise<Known> {
    const facets = await findFacets(this.#db, kind);
    await storeFacets(this.#db, kind, version, facets).catch(unlessReadOnly);
    return { version, facets };
  }
}

/** Who only reads needs no database that can be written: other processes then look for themselves. */
function unlessReadOnly(error: unknown): void {
  if (databaseFailure(error) !== "read-only") throw error;
}

/** Looks through a kind's records, or where they are many through a sample of them. */
export async function findFacets(db: Db, kind: CatalogueKind): Promise<KindFacets> {
  const [{ facts: found, ...looked }, records, categories] = await Promise.all([
    readAttributeFacts(db, kind),
    countEntries(db, kind, {}),
    listCategories(db, kind),
  ]);
  const facts = askableFacts(found);
  return {
    records,
    categories,
    isSample: looked.sampled < looked.records,
    facets: chooseFacets(facts, looked),
    sorts: chooseSorts(facts),
    telling: chooseTelling(facts, looked.sampled),
  };
}

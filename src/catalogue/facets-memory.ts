import { LRUCache } from "lru-cache";
import type { Db } from "../db/connect.ts";
import { databaseFailure } from "../db/failures.ts";
import { LANGUAGES } from "../words/i18n/languages.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import {
  type CappedCount,
  chooseColumnAttributes,
  chooseFacets,
  chooseSorts,
  type KindFacets,
  usableFacts,
} from "./facets.ts";
import { readAttributeFacts, readChanged, readStoredFacets, storeFacets } from "./facets-queries.ts";
import { countEntries, countLetters, countRecords, LOCAL_ORDER_CAP, listCategories } from "./list/queries.ts";

const COUNTS_AT_MOST = 1_000;
/** Facets that are found sooner are found after each change. */
const SLOW_MS = 100;
/** Facets may take a tenth of the time at most, so that lists answer during continuous writes… */
const REST = 10;
/** …but after so long at the latest. */
const OLD_AT_MOST_MS = 10_000;

interface Found {
  readonly version: number;
  readonly facets: KindFacets;
}

/** True if the counts may be some seconds old: a page that shows them may be cached for a moment only. */
export interface KnownFacets extends Found {
  readonly isOld: boolean;
}

/** When facets were found or read, by `performance.now()`. */
interface Known extends Found {
  readonly at: number;
}

/**
 * The filters of each kind, cached until a record of the kind changes. The first request after a change reads the
 * records and stores the result for other processes.
 */
export class FacetsMemory {
  readonly #db: Db;
  readonly #mayRest: boolean;
  readonly #known = new Map<CatalogueKind, Known>();
  /** How long it took to find the facets of a kind, in milliseconds. */
  readonly #costs = new Map<CatalogueKind, number>();
  readonly #finding = new Map<string, Promise<Known>>();
  readonly #counts = new LRUCache<string, object>({ max: COUNTS_AT_MOST });

  /** @param mayRest whether slow ones may be old while the kind changes all the time */
  constructor(db: Db, { mayRest = false }: { mayRest?: boolean } = {}) {
    this.#db = db;
    this.#mayRest = mayRest;
  }

  /** The facets of a kind as its records are now, or, while those change all the time, as they were some seconds ago. */
  async read(kind: CatalogueKind): Promise<KnownFacets> {
    const known = this.#known.get(kind);
    const stored = await readStoredFacets(this.#db, kind, known?.version);
    const found = await this.#readAt(kind, stored, known);
    return { ...found, isOld: found.version !== stored.version };
  }

  async #readAt(
    kind: CatalogueKind,
    { version, facets }: Awaited<ReturnType<typeof readStoredFacets>>,
    known: Known | undefined,
  ): Promise<Known> {
    if (known?.version === version) return known;
    // Another request may have finished its search while this one waited for its answer.
    const foundMeanwhile = this.#known.get(kind);
    if (foundMeanwhile?.version === version) return foundMeanwhile;
    if (facets) return this.#keep(kind, { version, facets });
    return known && this.#mayBeOld(kind, known) ? known : this.#findOnce(kind, version);
  }

  #mayBeOld(kind: CatalogueKind, { at }: Known): boolean {
    const cost = this.#costs.get(kind) ?? 0;
    if (!this.#mayRest || cost < SLOW_MS) return false;
    return performance.now() - at < Math.min(REST * cost, OLD_AT_MOST_MS);
  }

  /** The result of `count`, cached for this version of the kind; `list` identifies it. */
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

  /** Requests that arrive during a search through the records wait for that search. */
  async #findOnce(kind: CatalogueKind, version: number): Promise<Known> {
    const key = `${kind} ${version}`;
    const finding = this.#finding.get(key) ?? this.#find(kind, version);
    this.#finding.set(key, finding);
    try {
      return await finding;
    } finally {
      this.#finding.delete(key);
    }
  }

  /** May already see a later change; that has a newer version, so it is replaced. */
  async #find(kind: CatalogueKind, version: number): Promise<Known> {
    const began = performance.now();
    const facets = await findFacets(this.#db, kind);
    this.#costs.set(kind, performance.now() - began);
    await storeFacets(this.#db, kind, version, facets).catch(unlessReadOnly);
    return this.#keep(kind, { version, facets });
  }

  #keep(kind: CatalogueKind, found: Found): Known {
    const known = { ...found, at: performance.now() };
    this.#known.set(kind, known);
    return known;
  }
}

/** A read-only database cannot store facets: then each process finds its own. */
function unlessReadOnly(error: unknown): void {
  if (databaseFailure(error) !== "read-only") throw error;
}

/** Looks through a kind's records, or a sample if there are many. */
export async function findFacets(db: Db, kind: CatalogueKind): Promise<KindFacets> {
  const [{ facts: found, hasPopularity, ...looked }, records, categories, changed] = await Promise.all([
    readAttributeFacts(db, kind),
    countEntries(db, kind, {}),
    listCategories(db, kind),
    readChanged(db, kind),
  ]);
  const facts = usableFacts(found);
  return {
    records,
    categories,
    changed,
    letters: await findLetters(db, kind, records),
    isSample: looked.sampled < looked.records,
    facets: chooseFacets(facts, looked),
    sorts: chooseSorts(facts),
    columns: chooseColumnAttributes(facts, looked.sampled),
    hasPopularity,
  };
}

/** By the names that lists of the kind are sorted by: those in each language of the site, or the main ones. */
async function findLetters(
  db: Db,
  kind: CatalogueKind,
  { count }: CappedCount,
): Promise<KindFacets["letters"]> {
  if (count > LOCAL_ORDER_CAP) return { main: await countLetters(db, kind) };
  const byLanguage = LANGUAGES.map(async (language) => {
    const { letters } = await countRecords(db, kind, {}, [], { cap: LOCAL_ORDER_CAP, language });
    return [language, letters] as const;
  });
  return Object.fromEntries(await Promise.all(byLanguage));
}

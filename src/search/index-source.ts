import type { Knex } from "knex";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type IndexedKind, isOtherKind } from "../words/kinds/searchable-kinds.ts";
import { kindWords } from "./kind-words.ts";
import { type LoadedIndex, loadIndex, loadInThread } from "./load.ts";
import { loadOther } from "./load-other.ts";
import { hasMoreThan } from "./queries.ts";
import { hasBeenAt } from "./snapshot/origin.ts";
import type { Snapshots } from "./snapshot/snapshots.ts";

/** Smaller indexes are built between two requests: starting a thread would take longer, and so would a file. */
const INLINE_RECORDS = 2_000;

export interface IndexSourceOptions {
  readonly db: Knex;
  /** The address of `db`, for threads, which connect by themselves. */
  readonly databaseUrl: string;
  /** Larger indexes are built in a thread; 2,000 records by default. */
  readonly inlineRecords?: number;
  /** Keeps large indexes for the next start. */
  readonly snapshots?: Snapshots | undefined;
}

/** Where indexes come from: from disk if what has changed since is known, else they are built. */
export class IndexSource {
  readonly #options: IndexSourceOptions;

  constructor(options: IndexSourceOptions) {
    this.#options = options;
  }

  /**
   * An index of the current records, or of a version that has its later changes listed. @throws what failed; the
   * signal's reason
   */
  async load(kind: IndexedKind, signal: AbortSignal): Promise<LoadedIndex> {
    signal.throwIfAborted();
    const { db, snapshots, inlineRecords = INLINE_RECORDS } = this.#options;
    if (isOtherKind(kind)) return loadOther(db, kind);
    if (await hasMoreThan(db, kind, inlineRecords)) {
      return (await this.#readSnapshot(kind)) ?? (await this.#build(kind, signal));
    }
    await snapshots?.remove(kind);
    return loadIndex(db, kind);
  }

  async #readSnapshot(kind: CatalogueKind): Promise<LoadedIndex | undefined> {
    const { db, snapshots } = this.#options;
    if (!snapshots) return undefined;
    const kept = await snapshots.read(kind, (origin) => hasBeenAt(db, kind, origin));
    return kept && { version: kept.origin.version, ...kept };
  }

  async #build(kind: CatalogueKind, signal: AbortSignal): Promise<LoadedIndex> {
    const { databaseUrl, snapshots } = this.#options;
    const loaded = await loadInThread({ url: databaseUrl, kind, words: kindWords(kind) }, signal);
    snapshots?.write(kind, loaded);
    return loaded;
  }
}

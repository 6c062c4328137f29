import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { IndexData } from "../index/build.ts";
import type { Origin } from "./origin.ts";
import { codeOfIndexes } from "./origin.ts";
import { readIndexFile } from "./read-file.ts";
import { writeIndexFile } from "./write-file.ts";

/** A draft grows all the time; one that has not for this long is from a killed process. */
const ABANDONED_MS = 60_000;

/** How long a site that stops waits for a file. */
const CLOSE_MS = 3_000;

/** An index and the records that it was made of. */
export interface SnapshotIndex {
  readonly origin: Origin;
  readonly data: IndexData;
}

/**
 * Search indexes in a folder, one file a kind, for the next start. Any number of processes may share the folder: files
 * appear whole, and the last one written stays. Nothing here is needed: what cannot be read is built again, what cannot
 * be written is logged once.
 */
export class Snapshots {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  /** What is still to be written, the newest of each kind. */
  readonly #waiting = new Map<CatalogueKind, SnapshotIndex>();
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor({ directory, log }: { directory: string; log: Logger }) {
    this.#directory = directory;
    this.#log = log;
  }

  /** The index of a kind if this code wrote it, nothing is damaged, and its origin is accepted. Never rejects. */
  async read(
    kind: CatalogueKind,
    accepts: (origin: Origin) => boolean | Promise<boolean>,
  ): Promise<SnapshotIndex | undefined> {
    try {
      const code = await codeOfIndexes();
      const found = await readIndexFile(
        this.#fileOf(kind),
        async (header) => header.kind === kind && header.code === code && (await accepts(header.origin)),
        this.#closing.signal,
      );
      return found && { origin: found.header.origin, data: found.data };
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.#log.warn({ err: error, kind }, "a search index on disk is of no use");
      return undefined;
    }
  }

  /** Writes an index in the background. One that waits is replaced by the next of its kind. */
  write(kind: CatalogueKind, index: SnapshotIndex): void {
    if (this.#isClosed) return;
    this.#waiting.set(kind, index);
    this.#writing ??= this.#writeWaiting();
  }

  /** Removes the index of a kind that is built faster than read. */
  async remove(kind: CatalogueKind): Promise<void> {
    await rm(this.#fileOf(kind), { force: true }).catch(() => undefined);
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Finishes what is being written if that is soon done; else the file from before stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timer = setTimeout(() => this.#closing.abort(), CLOSE_MS);
    await this.#writing;
    clearTimeout(timer);
    this.#closing.abort();
  }

  #fileOf(kind: CatalogueKind): string {
    return path.join(this.#directory, `${kind}.index`);
  }

  async #writeWaiting(): Promise<void> {
    for (const [kind, index] of this.#waiting) {
      this.#waiting.delete(kind);
      try {
        await this.#writeOne(kind, index);
        if (this.#isFailing) this.#log.info("search indexes can be kept on disk again");
        this.#isFailing = false;
      } catch (error) {
        this.#tellOf(error);
      }
    }
    this.#writing = undefined;
  }

  async #writeOne(kind: CatalogueKind, { origin, data }: SnapshotIndex): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await this.#removeAbandoned();
    const about = { kind, origin, code: await codeOfIndexes() };
    await writeIndexFile(this.#fileOf(kind), { about, data }, this.#closing.signal);
  }

  #tellOf(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const told = "search indexes cannot be kept on disk: the next start has to build them";
    if (!this.#isFailing) this.#log.warn({ err: error }, told);
    this.#isFailing = true;
  }

  /** Removes drafts of processes that were killed. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      if (!name.endsWith(".draft")) continue;
      const draft = path.join(this.#directory, name);
      const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (mtimeMs < Date.now() - ABANDONED_MS) await rm(draft, { force: true });
    }
  }
}

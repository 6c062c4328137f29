/** How the time of a build divides where a million records were measured: sorting by Postgres, then reading. */
const SORTED = 0.28;
const READ = 0.61;
/** Milliseconds a record on a slow core, until something better is known. */
const PACE_MS = 0.02;
/** With fewer of the records read, the pace of an earlier build says more. */
const TELLING = 0.1;
/** What starting a thread takes, and what is added for a machine that gets busier. */
const START_MS = 1_000;
const MARGIN = 1.2;

/** How much of a build is done. */
export interface Progress {
  readonly read: number;
  readonly records: number;
}

/** Foretells when an index that is being built will be there. */
export class BuildTime {
  readonly #startedAt = performance.now();
  readonly #paceMs: number;
  #progress: Progress = { read: 0, records: 0 };
  #notedMs = 0;

  /** @param paceMs what an earlier build on this machine took, in milliseconds a record */
  constructor(paceMs = PACE_MS) {
    this.#paceMs = paceMs;
  }

  /** Notes that so many of the records are read. */
  note(progress: Progress): void {
    this.#progress = progress;
    this.#notedMs = this.elapsedMs;
  }

  /** Milliseconds since the build began. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whole seconds after which the index should be there, at least 1. */
  get remainingS(): number {
    const elapsed = this.elapsedMs;
    // A late build is expected to take as long again as it is late by now.
    const left = Math.abs(this.#totalMs(elapsed) - elapsed);
    return Math.max(1, Math.ceil((left * MARGIN) / 1_000));
  }

  #totalMs(elapsed: number): number {
    const { read, records } = this.#progress;
    const byPace = START_MS + records * this.#paceMs;
    if (read === 0) return Math.max(byPace, elapsed / SORTED);
    const share = read / records;
    const byProgress = this.#notedMs / (SORTED + READ * share);
    return share < TELLING ? Math.max(byPace, byProgress) : byProgress;
  }
}

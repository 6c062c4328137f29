import type { ShapeOptions } from "./records/shape.ts";

export interface ImportOptions extends ShapeOptions {
  /** Takes the valid records of a file that has others too. */
  readonly skipInvalid?: boolean;
  /** Does everything, tells what it did, and takes it back. */
  readonly dryRun?: boolean;
  /** Removes the records that are not in the file, but no more than half of those there without `force`. */
  readonly prune?: boolean;
  readonly force?: boolean;
  /** Marks the records as invented ones; a record that is not is left as it is. */
  readonly demo?: boolean;
  /** Ends the run; everything is taken back. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly phase: "reading" | "writing";
  /** How many have been read. */
  readonly records: number;
}

import type { InvalidRecord } from "./invalid-records.ts";
import type { ImportKind } from "./kinds.ts";
import type { Preview } from "./storage/preview-queries.ts";

/** What a run did; for a dry run, what it would have done. */
export interface ImportSummary {
  readonly kind: ImportKind;
  readonly dryRun: boolean;
  /** Records in the file: the sum of added, changed, unchanged and invalid. */
  readonly records: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Favorites and discounts that were deleted with their records. */
  readonly removedFavorites: number;
  readonly removedDiscounts: number;
  /** Names of categories and values in other languages that are new, changed or gone. */
  readonly words: number;
  readonly invalid: number;
  /** The first 50 of the invalid ones. */
  readonly invalidRecords: readonly InvalidRecord[];
  readonly warnings: readonly string[];
  /** Only for a dry run. */
  readonly preview?: Preview;
  readonly seconds: number;
}

/** A run that was refused after reading the whole file. Nothing was written. */
export class ImportRefusedError extends Error {
  override name = "ImportRefusedError";
  readonly summary: ImportSummary;
  constructor(message: string, summary: ImportSummary) {
    super(message);
    this.summary = summary;
  }
}

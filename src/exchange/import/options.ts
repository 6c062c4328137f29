import type { Actor } from "../../db/audit-queries.ts";
import type { ShapeOptions } from "./records/shape.ts";

export interface ImportOptions extends ShapeOptions {
  /** Imports the valid records of a file that has invalid ones too. */
  readonly skipInvalid?: boolean;
  /** Does everything, then rolls back. */
  readonly dryRun?: boolean;
  /** Removes records that are not in the file; more than half of them only with `force`. */
  readonly prune?: boolean;
  readonly force?: boolean;
  /** Marks the records as demo records; leaves other records as they are. */
  readonly demo?: boolean;
  /** Changes single fields: demo records keep the others. */
  readonly isEdit?: boolean;
  /** Who imports, for the audit log; undefined: it is no operator's action. */
  readonly by?: Actor | undefined;
  /** Ends the run and rolls back. */
  readonly signal?: AbortSignal;
  /** A few records: no statistics are gathered for them. */
  readonly isSmall?: boolean;
  /** Invalid records that are reported; 50 unless said. */
  readonly reportedAtMost?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly phase: "pictures" | "reading" | "writing";
  /** How many have been read so far: pictures in the first phase, which only some imports have. */
  readonly records: number;
}

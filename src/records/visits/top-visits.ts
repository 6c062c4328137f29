import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";
import { KEPT } from "../counts/day-counts.ts";
import { type Count, listTopCounts } from "../counts/queries.ts";
import type { Pictured } from "../picture.ts";

/** An entry that many looked at, with how often that was. */
export interface VisitedEntry extends Pictured {
  readonly kind: CatalogueKind;
  readonly id: string;
  readonly name: string;
  readonly names: Record<string, string>;
  readonly category: string | null;
  readonly count: number;
}

/** Counts are written once a minute. */
const MAX_AGE_MS = 60_000;
const DAYS = 7;
/** Some may be gone since. */
const SPARE = 3;

/** The entries that were looked at most in the last seven days. Which ones they are is kept for a minute, their names are not. */
export class TopVisits {
  readonly #maxAgeMs: number;
  #top: readonly Count[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(maxAgeMs: number = MAX_AGE_MS) {
    this.#maxAgeMs = maxAgeMs;
  }

  async list(db: Db, limit: number): Promise<VisitedEntry[]> {
    const isOld = performance.now() - this.#readAt >= this.#maxAgeMs;
    if (isOld) {
      this.#top = await listTopCounts(db, { prefix: KEPT.visits.prefix, days: DAYS, limit: limit * SPARE });
      this.#readAt = performance.now();
    }
    return this.#top.length === 0 ? [] : listVisited(db, this.#top, limit);
  }
}

function listVisited(db: Db, top: readonly Count[], limit: number): Promise<VisitedEntry[]> {
  const entries = catalogueKinds().map(
    (kind) => `select '${kind}' as kind, id, name, names, category, picture, image from ${kind}`,
  );
  return selectRows<VisitedEntry>(
    db,
    `select entry.*, top.count
       from json_to_recordset(:top) as top (topic text, name text, count integer)
       join lateral (${entries.map((sql) => `${sql} where id = top.name`).join(" union all ")}) as entry
         on :prefix || entry.kind = top.topic
      order by top.count desc, top.topic, top.name limit :limit`,
    { top: JSON.stringify(top), prefix: KEPT.visits.prefix, limit },
  );
}

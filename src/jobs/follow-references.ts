import type { Knex } from "knex";
import { hasDemoRecords } from "../records/demo-records.ts";
import { followAttributes } from "../relations/reference-queries.ts";
import type { LiveVocabulary } from "../vocabulary/live.ts";

/** The demo's words count while there are demo records, which a command may load or remove. */
const RECHECK_DEMO_MS = 15_000;

/**
 * Work for a loop: makes the database follow the attributes by which this process's vocabulary says that entries name
 * others, whenever that changes. Processes of which one has read a changed file and another has not agree once both have.
 */
export function referenceFollower(db: Knex, vocabulary: LiveVocabulary): () => Promise<void> {
  let followed: string | undefined;
  let demo = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Date.now() - checkedAt > RECHECK_DEMO_MS) {
      demo = await hasDemoRecords(db);
      checkedAt = Date.now();
    }
    const current = `${vocabulary.version} ${demo}`;
    if (current === followed) return;
    await followAttributes(db, vocabulary.of({ withDefaults: demo }).references());
    followed = current;
  };
}

import type { Knex } from "knex";
import { hasDemoRecords } from "../../records/demo-records.ts";
import { followAttributes } from "../../records/relations/reference-queries.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";

/** The demo's words count while there are demo records, which a command may load or remove. */
const RECHECK_DEMO_MS = 15_000;

/**
 * Work for a loop: makes the database follow the reference attributes of this process's vocabulary, whenever they
 * change. Processes may disagree until each has read the changed file.
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

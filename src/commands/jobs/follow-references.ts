import type { Knex } from "knex";
import type { NonEmptySections } from "../../records/non-empty-sections.ts";
import { followAttributes } from "../../records/relations/reference-queries.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";

/**
 * Work for the change feed: makes the database follow the reference attributes of this process's vocabulary, whenever
 * they change. The demo's words count while there are demo records. Processes may disagree until each has read the
 * changed file.
 */
export function referenceFollower(
  db: Knex,
  vocabulary: Pick<LiveVocabulary, "of" | "version">,
  sections: Pick<NonEmptySections, "isDemo">,
): () => Promise<void> {
  let followed: string | undefined;
  return async () => {
    const { isDemo } = sections;
    const current = `${vocabulary.version} ${isDemo}`;
    if (current === followed) return;
    await followAttributes(db, vocabulary.of({ withDefaults: isDemo }).references());
    followed = current;
  };
}

import type { Knex } from "knex";
import { listStoredKinds, makeKindTables } from "../db/own-kinds.ts";
import type { OwnKindTraits } from "../kinds/traits.ts";
import { learnKinds } from "../vocabulary/learn-kinds.ts";
import type { VocabularyFile } from "../vocabulary/schema.ts";

/**
 * Makes the kinds of the operator's vocabulary known to this process, and their tables where they are missing.
 * @throws DatabaseSetupError if the database has no room for one of them
 */
export async function useKinds(
  file: VocabularyFile | undefined,
  db: Knex,
  err: (line: string) => void,
): Promise<void> {
  const made = await makeKindTables(db, learnKinds(file ?? {}));
  for (const kind of made) err(`There is a new kind: ${kind}, at /${kind}.`);
}

/** A line for each kind that has a table and is not in the vocabulary. */
export async function listForgottenKinds(db: Knex, kinds: readonly OwnKindTraits[]): Promise<string[]> {
  const stored = await listStoredKinds(db);
  return stored
    .filter(({ kind }) => !kinds.some((known) => known.kind === kind))
    .map(({ kind }) => {
      return `the vocabulary has no kind ${kind} any more: its entries are kept but not shown; "vocabulary drop ${kind}" removes them`;
    });
}

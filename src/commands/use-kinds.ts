import type { Knex } from "knex";
import { findKindMistakes, listStoredKinds, makeKindTables, type StoredKind } from "../db/own-kinds.ts";
import { learnKinds } from "../vocabulary/learn-kinds.ts";
import { ownKindsOf } from "../vocabulary/own-kinds.ts";
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

/** What there is to say of a vocabulary's kinds beside the database. */
export interface KindFindings {
  /** Why the site would not start with it, a line each. */
  readonly mistakes: readonly string[];
  /** A line for each kind that has a table and is not in the vocabulary. */
  readonly forgotten: readonly string[];
}

/** Compares a vocabulary's kinds with the database, and makes those known that have tables: it makes none. */
export async function checkKinds(file: VocabularyFile, db: Knex): Promise<KindFindings> {
  const [kinds, stored] = [ownKindsOf(file), await listStoredKinds(db)];
  learnKinds(file, ({ kind, one }) => stored.some((each) => each.kind === kind && each.one === one));
  return {
    mistakes: await findKindMistakes(db, kinds),
    forgotten: stored.filter(({ kind }) => !kinds.some((known) => known.kind === kind)).map(tellForgotten),
  };
}

function tellForgotten({ kind }: StoredKind): string {
  return `the vocabulary has no kind ${kind} any more: its entries are kept but not shown; "vocabulary drop ${kind}" removes them`;
}

import type { Knex } from "knex";
import type { FacetsMemory } from "../../catalogue/facets-memory.ts";
import { type Actor, recordAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { findKindMistakes } from "../../db/own-kinds.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import {
  codeOf,
  type ReadFile,
  readTextFile,
  replaceFile,
  writeObstacle,
} from "../../words/vocabulary/file.ts";
import { checkVocabulary, type LiveVocabulary } from "../../words/vocabulary/live.ts";
import type { ReadVocabulary } from "../../words/vocabulary/read.ts";

/** The form counts attributes over whole kinds, so it queries by `slowQueryDb`. */
export type FormContext = BaseContext & { readonly facets: FacetsMemory };

/** The operator's file for its form. */
export interface OpenFile extends ReadFile {
  /** Undefined if the site has no path for one. */
  readonly path: string | undefined;
  /** Why it cannot be written, as the system's code; undefined if it can. */
  readonly obstacle: string | undefined;
  /** Whether it cannot even be read, so its content is unknown. */
  readonly isUnreadable: boolean;
}

export type SaveOutcome =
  | { readonly outcome: "saved" }
  /** Another operator has changed the file since. */
  | { readonly outcome: "changed"; readonly file: OpenFile }
  /** The next start would refuse it. */
  | { readonly outcome: "wrong"; readonly mistakes: NonNullable<ReadVocabulary["mistakes"]> }
  | { readonly outcome: "failed"; readonly code: string };

/** Reads the operator's file, and checks whether it can be written before the operator types anything. */
export async function openFile({ path }: Pick<LiveVocabulary, "path">): Promise<OpenFile> {
  const nothing = { text: "", stamp: "none", isThere: false, path };
  if (path === undefined) return { ...nothing, obstacle: "ENOENT", isUnreadable: false };
  try {
    const read = await readTextFile(path);
    return { ...read, path, obstacle: await writeObstacle(path), isUnreadable: false };
  } catch (error) {
    return { ...nothing, obstacle: codeOf(error), isUnreadable: true };
  }
}

/** Parses a text and makes all checks of the next start. */
export function checkText(db: Db, text: string): Promise<ReadVocabulary> {
  return checkVocabulary(text, (kinds) => findKindMistakes(db, kinds));
}

/**
 * Writes the file unless another operator has changed it since `stamp`. Every process reads it within a second, this
 * one at once.
 */
export async function saveFile(
  db: Knex,
  vocabulary: LiveVocabulary,
  { text, stamp, by }: { text: string; stamp: string; by: Actor },
): Promise<SaveOutcome> {
  const { path } = vocabulary;
  if (path === undefined) return { outcome: "failed", code: "ENOENT" };
  const saved = await db.transaction(async (transaction): Promise<SaveOutcome> => {
    // Serialises reading and writing between processes.
    await transaction.raw("select pg_advisory_xact_lock(hashtext('almanac vocabulary'))");
    const file = await openFile(vocabulary);
    if (file.isUnreadable) return { outcome: "failed", code: file.obstacle ?? "EIO" };
    if (file.stamp !== stamp) return { outcome: "changed", file };
    const { mistakes } = await checkText(transaction, text);
    if (mistakes) return { outcome: "wrong", mistakes };
    const change = { action: "vocabulary.saved", ...changedPart(file.text, text) } as const;
    try {
      // In this order, because only the first of the two can be rolled back.
      await transaction.transaction(async (inner) => {
        await recordAction(inner, by, change);
        await replaceFile(path, text);
      });
    } catch (error) {
      return { outcome: "failed", code: codeOf(error) };
    }
    return { outcome: "saved" };
  });
  // If that fails, the loop that follows the file retries.
  if (saved.outcome === "saved") await vocabulary.noticeChange().catch(() => undefined);
  return saved;
}

/** The lines from the first difference to the last. */
function changedPart(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const part = (lines: string[]) => ({ lines: lines.slice(start, lines.length - end).join("\n") });
  return { before: part(old), after: part(now) };
}

import type { ChangedEntry } from "./entry-queries.ts";
import { describeHistory, type HistoryWords } from "./history.ts";

/** In characters, of each side: longer ones are not read at a glance. */
const LONGEST = 40;
/** Changes in one line. */
const SHOWN = 2;

/**
 * The last change of an entry in words: `Price: 4,200 → 3,900`. Leaves out what is too long or has no words. Returns
 * undefined if nothing is left, or the entry is as it was added.
 */
export function lastChangeText(entry: ChangedEntry, words: HistoryWords): string | undefined {
  if (entry.last === null) return undefined;
  const [change] = describeHistory(entry, [entry.last], words).changes;
  const short = (change?.lines ?? []).flatMap(({ label, before, after, prose }) => {
    if (prose || before === undefined || after === undefined) return [];
    if (before.length > LONGEST || after.length > LONGEST) return [];
    return words.t("home.newest.change", { label, before, after });
  });
  const more = short.length - SHOWN;
  if (more > 0) short.splice(SHOWN, more, words.t("home.newest.more_changes", { count: more }));
  return short.length === 0 ? undefined : short.join("; ");
}

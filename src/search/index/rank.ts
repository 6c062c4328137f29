import type { IndexedRecord } from "./records.ts";

/** The order of records, best first, as `readInRankOrder` has it in SQL: popularity, shorter name, name, id. */
export function compareRank(a: IndexedRecord, b: IndexedRecord): number {
  return (
    (b.popularity ?? -1) - (a.popularity ?? -1) ||
    codePoints(a.name) - codePoints(b.name) ||
    byCodePoint(a.name, b.name) ||
    byCodePoint(a.id, b.id)
  );
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** UTF-8 sorts as code points do; UTF-16 does not. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

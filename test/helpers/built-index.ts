import { randomUUID } from "node:crypto";
import { IndexBuilder } from "../../src/search/index/build.ts";
import type { IndexedRecord } from "../../src/search/index/records.ts";
import type { SnapshotIndex } from "../../src/search/snapshot/snapshots.ts";

const WORDS = [
  "rifle",
  "Пистолет",
  "sniper",
  "night",
  "vision",
  "Äxte",
  "ナイフ",
  "parachute",
  "deagle",
  "Mk",
  "nrg",
];

/** Records with names in several languages, always the same. */
function variedRecords(count: number, word = "Thing"): IndexedRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const [one, two] = [WORDS[index % 11] ?? "", WORDS[(index * 7 + 3) % 10] ?? ""];
    const name = `${word} ${one} ${two} ${index}`;
    const names = { en: name, ru: `Вещь ${two} ${index % 97}` };
    return { id: `${index}`, name, names, category: null, image: null, popularity: null };
  });
}

/** An index of so many records, of an origin of its own. */
export function builtIndex(count: number, word?: string, version = 7): SnapshotIndex {
  const builder = new IndexBuilder();
  for (const record of variedRecords(count, word)) builder.add(record);
  const origin = { version, stamp: randomUUID(), table: 16_400 };
  return { origin, data: builder.finish() };
}

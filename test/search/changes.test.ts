import { describe, expect, it, vi } from "vitest";
import { IndexBuilder } from "../../src/search/index/build.ts";
import { Segments } from "../../src/search/index/segments.ts";
import { ChangingCatalogue } from "../helpers/changing-catalogue.ts";

/** Catalogues by how many records they begin with, and of how many words their names are. */
const SIZES: [records: number, words: number, changes: number, rounds: number][] = [
  [0, 30, 6, 8],
  [40, 30, 4, 8],
  [400, 60, 20, 4],
  [400, 1500, 20, 4],
  // Past what is counted, and past what the forgiving classes look at.
  [3000, 25, 150, 1],
];

const RANGES = [
  { limit: 10, offset: 0 },
  { limit: 3, offset: 2 },
  { limit: 50, offset: 1000 },
  { limit: 8, offset: 0, onlyAsTyped: true },
];

/** A rebuilt index knows exactly how many errors are likely, so these may differ. */
const MAY_DIFFER = 0.05;
const AS_TYPED = { limit: 1, offset: 0, onlyAsTyped: true };

describe("an index that follows changes", () => {
  it.each(SIZES)(
    "answers as one that is built anew: %i records of %i words, then %i changes at a time",
    (records, words, changes, rounds) => {
      const catalogue = new ChangingCatalogue(`${records} ${words}`, words);
      catalogue.change(records);
      const followed = catalogue.build();
      const different: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const { changed, removed } = catalogue.change(changes);
        followed.change(changed, removed);
        const rebuilt = catalogue.build();
        expect(followed.size).toBe(rebuilt.size);
        for (let n = 0; n < 60; n++) {
          const query = catalogue.query();
          const range = RANGES[n % RANGES.length] ?? { limit: 10, offset: 0 };
          const answers = [followed, rebuilt].map((index) => JSON.stringify(index.search(query, range)));
          const isForgiving = [followed, rebuilt].every((index) => index.search(query, AS_TYPED).total === 0);
          if (isForgiving && answers[0] !== answers[1]) different.push(query);
          if (!isForgiving) expect(answers[0], `${query} ${JSON.stringify(range)}`).toBe(answers[1]);
        }
      }
      expect(different.length, different.join(", ")).toBeLessThan(60 * rounds * MAY_DIFFER);
    },
  );

  it("indexes a changed record few times and into few segments, however many have changed before", () => {
    const catalogue = new ChangingCatalogue("one by one", 60);
    catalogue.change(50);
    const followed = catalogue.build();
    const add = vi.spyOn(IndexBuilder.prototype, "add");
    const segments = new Segments(followed.data);
    let mostSegments = 0;
    for (let n = 0; n < 600; n++) {
      const { changed, removed } = catalogue.change(1);
      followed.change(changed, removed);
      segments.change(changed, removed);
      mostSegments = Math.max(mostSegments, segments.all.length);
    }
    // Two indexes follow the changes.
    expect(add.mock.calls.length / 1200).toBeLessThan(30);
    expect(mostSegments).toBeLessThanOrEqual(3);
    add.mockRestore();
    expect(followed.size).toBe(catalogue.records.size);
    const rebuilt = catalogue.build();
    for (let n = 0; n < 200; n++) {
      const query = catalogue.query();
      const range = { ...AS_TYPED, limit: 20 };
      expect(followed.search(query, range), query).toEqual(rebuilt.search(query, range));
    }
  });
});

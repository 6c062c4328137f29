import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUCKETS, type Bucket, emptyHistory, readHistories, summarise } from "../src/servers/history.ts";
import { minuteLabels, tableOfHours } from "../src/servers/hours.ts";
import { safeLink } from "../src/servers/links.ts";
import { findSpans, spanText } from "../src/servers/spans.ts";

function bucket(start: number, columns: Partial<Bucket> = {}): Bucket {
  return { start, ids: null, online: null, queue: null, up: null, checked_at: null, ...columns };
}

describe("histories of buckets", () => {
  it("put each server's figures at the bucket's place and leave the rest unknown", () => {
    const buckets = [
      bucket(0),
      bucket(300, { ids: ["a", "b"], online: [5, null], queue: [0, null], up: [true, false] }),
      bucket(600, { ids: ["b"], online: [7], queue: [null], up: [true] }),
    ];
    const histories = readHistories(buckets);
    expect([...histories.keys()]).toEqual(["a", "b"]);
    expect(histories.get("a")?.online.slice(0, 3)).toEqual([null, 5, null]);
    expect(histories.get("a")?.queue.slice(0, 3)).toEqual([null, 0, null]);
    expect(histories.get("b")?.online.slice(0, 3)).toEqual([null, null, 7]);
    expect(histories.get("b")?.up.slice(0, 3)).toEqual([null, false, true]);
    expect(histories.get("b")?.online).toHaveLength(BUCKETS);
  });

  it("know nothing of a server that no bucket mentions", () => {
    expect(readHistories([bucket(0), bucket(300)]).size).toBe(0);
    expect(emptyHistory().up).toEqual(new Array(BUCKETS).fill(null));
  });
});

describe("the summary of a history", () => {
  const some = (online: (number | null)[], up: (boolean | null)[]) => summarise({ online, queue: [], up });

  it("is null throughout where nothing is known", () => {
    expect(summarise(emptyHistory())).toEqual({ peak: null, average: null, uptime: null });
  });

  it("leaves gaps out of the average instead of taking them for 0", () => {
    expect(some([10, null, 20, null], [true, null, true, null])).toEqual({
      peak: 20,
      average: 15,
      uptime: 1,
    });
  });

  it("takes a measured 0 for what it is", () => {
    expect(some([0, 10], [true, true])).toEqual({ peak: 10, average: 5, uptime: 1 });
    expect(some([0], [true])).toEqual({ peak: 0, average: 0, uptime: 1 });
  });

  it("counts an offline bucket as down and an unknown one neither way", () => {
    expect(some([4, null, null, null], [true, false, null, null]).uptime).toBe(0.5);
    expect(some([null], [false])).toEqual({ peak: null, average: null, uptime: 0 });
  });

  it("counts a server that is up without telling its players as up", () => {
    expect(some([null, null], [true, false])).toEqual({ peak: null, average: null, uptime: 0.5 });
  });
});

describe("spans", () => {
  it("join neighbours and keep the rest apart", () => {
    expect(findSpans([1, 1, 0, 1, 0, 0, 1], (entry) => entry === 1)).toEqual([
      { start: 0, end: 2 },
      { start: 3, end: 4 },
      { start: 6, end: 7 },
    ]);
    expect(findSpans([], () => true)).toEqual([]);
  });

  it("cover exactly the entries that satisfy the condition, in order, and never touch", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (entries) => {
        const spans = findSpans(entries, Boolean);
        const covered = entries.map((_, place) =>
          spans.some(({ start, end }) => start <= place && place < end),
        );
        expect(covered).toEqual(entries);
        spans.slice(1).forEach((span, index) => {
          expect(span.start).toBeGreaterThan(spans[index]?.end ?? Number.NaN);
        });
      }),
    );
  });

  it("say when they begin and end, in UTC and past midnight", () => {
    const start = Date.UTC(2026, 10, 21, 23, 50) / 1000;
    const times = [start, start + 300, start + 600, start + 900];
    expect(spanText({ start: 1, end: 3 }, times)).toBe("23:55–00:05 UTC");
  });
});

describe("the table of hours", () => {
  const start = Date.UTC(2026, 10, 21, 13, 50) / 1000;
  const times = [0, 1, 2, 3].map((place) => start + place * 300);

  it("has a row for each hour that the 24 hours touch, and no figure outside of them", () => {
    const hours = tableOfHours(times, [1, 2, 3, 4], [true, true, true, true], 300);
    expect(hours.map((hour) => hour.label)).toEqual(["13:00", "14:00"]);
    expect(hours[0]?.cells).toEqual([...new Array(10).fill(undefined), 1, 2]);
    expect(hours[1]?.cells).toEqual([3, 4, ...new Array(10).fill(undefined)]);
  });

  it("says why a figure is missing", () => {
    const [, hour] = tableOfHours(times, [0, 0, null, null], [true, true, false, null], 300);
    expect(hour?.cells.slice(0, 2)).toEqual(["offline", "not measured"]);
    const [first] = tableOfHours(times, [null, 0, 0, 0], [true, true, true, true], 300);
    expect(first?.cells.slice(10)).toEqual(["not told", 0]);
  });

  it("names its columns by the minute at which a bucket begins", () => {
    expect(minuteLabels(300)).toEqual([
      ":00",
      ":05",
      ":10",
      ":15",
      ":20",
      ":25",
      ":30",
      ":35",
      ":40",
      ":45",
      ":50",
      ":55",
    ]);
  });
});

describe("a server's own link", () => {
  it.each([
    "https://example.invalid/play",
    "http://example.invalid/",
    "samp://127.0.0.1:7777",
    "fivem://connect/x:1",
  ])("%s can be clicked", (url) => {
    expect(safeLink(url)).toBe(new URL(url).href);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//example.invalid",
    "example.invalid:7777",
    "",
  ])("%j cannot", (url) => {
    expect(safeLink(url)).toBeUndefined();
  });

  it("is undefined where there is none", () => {
    expect(safeLink(null)).toBeUndefined();
  });
});

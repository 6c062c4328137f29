import { describe, expect, it } from "vitest";
import { type Bucket, readHistories } from "../../src/servers/history/histories.ts";
import { findOutages } from "../../src/servers/history/outages.ts";
import type { Observation } from "../../src/servers/history/queries.ts";

const NOTHING = {
  numbers: null,
  known: null,
  up: null,
  online_count: null,
  online_sum: null,
  online_min: null,
  online_max: null,
  queue_count: null,
  queue_sum: null,
  queue_max: null,
};

const ONE_POLL = {
  known: 1,
  up: 1,
  online_count: 1,
  online_sum: 0,
  online_min: null as number | null,
  online_max: null as number | null,
  queue_count: 0,
  queue_sum: 0,
  queue_max: null as number | null,
};

/** A bucket with one poll of each server, online without counts; `polls` overrides that. */
function bucket(start: number, polls: Record<number, Partial<typeof ONE_POLL>> = {}): Bucket {
  const rows = Object.entries(polls).map(([number, poll]) => ({
    number: Number(number),
    ...ONE_POLL,
    ...poll,
  }));
  if (rows.length === 0) return { start, checked_at: null, ...NOTHING };
  return {
    start,
    checked_at: null,
    numbers: rows.map((row) => row.number),
    known: rows.map((row) => row.known),
    up: rows.map((row) => row.up),
    online_count: rows.map((row) => row.online_count),
    online_sum: rows.map((row) => row.online_sum),
    online_min: rows.map((row) => row.online_min),
    online_max: rows.map((row) => row.online_max),
    queue_count: rows.map((row) => row.queue_count),
    queue_sum: rows.map((row) => row.queue_sum),
    queue_max: rows.map((row) => row.queue_max),
  };
}

const offline = { up: 0, online_count: 0 };

describe("histories of buckets", () => {
  it.each([
    [10, 4, 3],
    [9, 4, 2],
    [21, 2, 11],
    [0, 3, 0],
    [4_503_599_627_370_497, 2, 2_251_799_813_685_249],
  ])("round %d in %d polls half up, to %d", (online_sum, online_count, mean) => {
    const histories = readHistories(
      [bucket(0, { 1: { online_sum, online_count, known: online_count } })],
      "24h",
    );
    expect(histories.get(1)?.history.online[0]).toBe(mean);
  });

  it("summarise the polls, not the buckets", () => {
    const histories = readHistories(
      [
        bucket(0, { 1: { known: 5, up: 5, online_count: 5, online_sum: 50, online_max: 17 } }),
        bucket(300, { 1: { known: 5, up: 1, online_count: 1, online_sum: 40, online_max: 40 } }),
        bucket(600, { 1: { known: 0, up: 0, online_count: 0 } }),
      ],
      "24h",
    );
    expect(histories.get(1)).toMatchObject({ peak: 40, average: 15, uptime: 0.6 });
    expect(histories.get(1)?.history.up.slice(0, 3)).toEqual([1, 0.2, null]);
  });

  it("tell no peak and no average where no poll told a count", () => {
    const histories = readHistories(
      [bucket(0, { 1: { online_count: 0 } }), bucket(300, { 2: offline })],
      "24h",
    );
    expect(histories.get(1)).toMatchObject({ peak: null, average: null, uptime: 1 });
    expect(histories.get(2)).toMatchObject({ peak: null, average: null, uptime: 0 });
  });
});

describe("outages", () => {
  const poll = (start: number, up: number): Observation => ({ start, lengthS: 0, known: 1, up });
  const span = (start: number, known: number, up: number): Observation => ({
    start,
    lengthS: 300,
    known,
    up,
  });
  const found = (observations: Observation[], now: number, polled = false) =>
    findOutages(observations, { now, polled }).map(({ from, to }) => [
      from.getTime() / 1000,
      to && to.getTime() / 1000,
    ]);

  it("begin with the poll that finds the server offline and end with the one that finds it online", () => {
    expect(found([poll(0, 1), poll(60, 0), poll(120, 0), poll(180, 1), poll(240, 1)], 250)).toEqual([
      [60, 180],
    ]);
    expect(found([poll(0, 1)], 10)).toEqual([]);
    expect(found([], 10)).toEqual([]);
  });

  it("go on while the last poll found it offline, and not for ever after", () => {
    expect(found([poll(0, 1), poll(60, 0)], 120)).toEqual([[60, null]]);
    expect(found([poll(0, 1), poll(60, 0), poll(120, 0)], 10_000)).toEqual([[60, 120]]);
  });

  it("continue between the rare polls of a server that is long gone, but not over a time without polls", () => {
    expect(found([poll(0, 0), poll(3600, 0), poll(7200, 0)], 7260)).toEqual([[0, null]]);
    expect(found([poll(0, 0), poll(60, 0), poll(9000, 0), poll(9060, 1)], 9100)).toEqual([
      [0, 60],
      [9000, 9060],
    ]);
    expect(found([poll(0, 0), poll(60, 0), poll(9000, 1)], 9100)).toEqual([[0, 60]]);
  });

  it("end where nobody asked for longer than a poller waits", () => {
    const gap = [poll(0, 1), poll(60, 0), poll(120, 0), poll(2520, 0), poll(2580, 1)];
    expect(found(gap, 2600)).toEqual([[60, 2580]]);
    expect(found(gap, 2600, true)).toEqual([
      [60, 120],
      [2520, 2580],
    ]);
    expect(found([poll(0, 0), poll(300, 0), poll(600, 0)], 700, true)).toEqual([[0, null]]);
    const week = Array.from({ length: 200 }, (_, hour) => poll(hour * 3600, 0));
    const dense = Array.from({ length: 169 * 12 }, (_, place) => poll(place * 300, 0));
    expect(found([...dense, ...week.slice(169)], 200 * 3600, true)).toEqual([[0, null]]);
  });

  it("are as long in five minutes as in the polls that those were made of", () => {
    expect(found([span(0, 5, 5), span(300, 5, 3), span(600, 5, 5)], 900)).toEqual([[480, 600]]);
    expect(found([span(0, 5, 4), span(300, 5, 0), span(600, 5, 2), span(900, 5, 5)], 1200)).toEqual([
      [240, 780],
    ]);
    expect(found([span(0, 5, 0), poll(300, 0), poll(360, 1)], 400)).toEqual([[0, 360]]);
  });
});

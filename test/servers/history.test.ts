import { describe, expect, it } from "vitest";
import { findOutages } from "../../src/servers/history/outages.ts";
import type { Observation } from "../../src/servers/history/queries.ts";

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

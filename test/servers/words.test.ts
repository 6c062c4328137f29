import { describe, expect, it } from "vitest";
import { ageText } from "../../src/servers/ages.ts";
import { isFull } from "../../src/servers/listing.ts";
import type { ServerStatus } from "../../src/servers/queries.ts";
import { lengthText } from "../../src/servers/server-page.ts";
import { totalsOf, totalsText } from "../../src/servers/totals.ts";
import { plainSpaces } from "../helpers/html.ts";
import { wordsIn } from "../helpers/words.ts";

const [english, russian] = [wordsIn("en"), wordsIn("ru")];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function current(status: ServerStatus, online: number | null = null, queue: number | null = null) {
  return { status, online, queue };
}

describe("an age", () => {
  it.each([
    [0, "just now"],
    [59_999, "just now"],
    [-HOUR_MS, "just now"],
    [MINUTE_MS, "1 min ago"],
    [HOUR_MS - 1, "59 min ago"],
    [3 * HOUR_MS, "3 h ago"],
    [2 * DAY_MS - 1, "47 h ago"],
    [2 * DAY_MS, "2 days ago"],
  ])("of %d ms is %s", (ms, text) => {
    expect(plainSpaces(ageText(ms, english))).toBe(text);
  });

  it.each([
    [0, "только что"],
    [3 * HOUR_MS, "3\u00a0ч назад"],
    [2 * DAY_MS, "2\u00a0дня назад"],
    [5 * DAY_MS, "5\u00a0дней назад"],
    [21 * DAY_MS, "21\u00a0день назад"],
  ])("of %d ms is %s in Russian", (ms, text) => {
    expect(ageText(ms, russian)).toBe(text);
  });
});

describe("a length", () => {
  it.each([
    [20_000, "less than 1 min"],
    [25 * MINUTE_MS, "25 min"],
    [HOUR_MS, "1 h"],
    [3 * HOUR_MS + 20 * MINUTE_MS, "3 h 20 min"],
    [DAY_MS, "1 d"],
    [2 * DAY_MS + 4 * HOUR_MS + 59 * MINUTE_MS, "2 d 4 h"],
  ])("of %d ms is %s", (ms, text) => {
    expect(plainSpaces(lengthText(ms, english))).toBe(text);
  });

  it("is in the reader's language", () => {
    expect(lengthText(3 * HOUR_MS + 20 * MINUTE_MS, russian)).toBe("3\u00a0ч 20\u00a0мин");
    expect(lengthText(20_000, russian)).toBe("меньше 1\u00a0мин");
  });
});

describe("full", () => {
  it("is online at or over a maximum that is not 0", () => {
    const full = (status: ServerStatus, online: number | null, max: number | null) =>
      isFull({ status, online, max_online: max });
    expect(full("online", 50, 50)).toBe(true);
    expect(full("online", 60, 50)).toBe(true);
    expect(full("online", 49, 50)).toBe(false);
    expect(full("online", 0, 0)).toBe(false);
    expect(full("online", 5, null)).toBe(false);
    expect(full("online", null, 50)).toBe(false);
    expect(full("offline", 50, 50)).toBe(false);
  });
});

describe("the totals", () => {
  it("add up what is known and say of how many", () => {
    const totals = totalsOf([
      current("online", 1210, 0),
      current("online", 5),
      current("offline"),
      current("unknown"),
    ]);
    expect(totals).toEqual({
      servers: 4,
      online: 1215,
      counted: 2,
      queue: 0,
      queues: 1,
      states: { online: 2, offline: 1, unknown: 1 },
    });
    expect(totalsText(totals, english)).toBe(
      "1,215 players online on 2 of 4 servers. Nobody queuing (one server reports a queue). " +
        "Servers offline:\u00a01, unknown:\u00a01.",
    );
    expect(totalsText(totals, russian)).toBe(
      "1\u00a0215 игроков онлайн на 2 из 4 серверов. В очередях никого (по данным 1 сервера). " +
        "Серверы: офлайн\u00a0—\u00a01, состояние неизвестно\u00a0—\u00a01.",
    );
  });

  it("leave out figures that are not known", () => {
    const totals = totalsOf([current("online", 10), current("online")]);
    expect(totals).toMatchObject({ servers: 2, online: 10, counted: 1, queue: null, queues: 0 });
    expect(totalsText(totals, english)).toBe("10 players online on 1 of 2 servers.");
    expect(totalsText(totalsOf([current("online", 1)]), english)).toBe("1 player online on 1 of 1 server.");
  });

  it("make no 0 of what nobody knows", () => {
    expect(totalsOf([current("unknown"), current("offline")])).toMatchObject({ online: null, queue: null });
    expect(totalsText(totalsOf([current("online")]), english)).toBe("No player counts are known right now.");
  });
});

import { describe, expect, it } from "vitest";
import { ageText } from "../../src/servers/ages.ts";
import { lengthText } from "../../src/servers/server-page.ts";
import { plainSpaces } from "../helpers/html.ts";
import { HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";
import { wordsIn } from "../helpers/words.ts";

const [english, russian] = [wordsIn("en"), wordsIn("ru")];

const DAY_MS = 24 * HOUR_MS;

describe("an age", () => {
  it.each([
    [59_999, "just now"],
    [-HOUR_MS, "just now"],
    [MINUTE_MS, "1 min ago"],
    [HOUR_MS - 1, "59 min ago"],
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

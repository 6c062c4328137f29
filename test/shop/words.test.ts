import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endText, exactLengthText, leftText, startText } from "../../src/records/prices/sale-words.ts";
import { sayTexts } from "../../src/words/i18n/script-texts.ts";
import { textsIn, translate } from "../../src/words/i18n/translate.ts";
import { plainSpaces } from "../helpers/html.ts";

const [en, ru] = [translate("en"), translate("ru")];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("how long something still lasts", () => {
  it.each([
    [MINUTE - 1, "less than a minute"],
    [MINUTE, "1 min"],
    [HOUR, "1 h"],
    [6 * HOUR - 1, "5 h 59 min"],
    [6 * HOUR + 59 * MINUTE, "6 h"],
    [DAY, "1 day"],
    [2 * DAY - 1, "1 day 23 h"],
    [30 * DAY - 1, "29 days"],
  ])("of %i ms is %s", (ms, text) => {
    expect(plainSpaces(leftText(en, ms))).toBe(text);
    expect(plainSpaces(endText(en, ms))).toBe(`${text} left`);
    expect(plainSpaces(startText(en, ms))).toBe(`starts in ${text}`);
  });

  it.each([
    [1, "осталось меньше минуты", "начнётся меньше чем через минуту"],
    [3 * HOUR + 20 * MINUTE, "осталось 3\u00a0ч 20\u00a0мин", "начнётся через 3\u00a0ч 20\u00a0мин"],
    [DAY + 5 * HOUR, "осталось 1\u00a0день 5\u00a0ч", "начнётся через 1\u00a0день 5\u00a0ч"],
    [3 * DAY, "осталось 3\u00a0дня", "начнётся через 3\u00a0дня"],
    [21 * DAY, "осталось 21\u00a0день", "начнётся через 21\u00a0день"],
    [0, "закончилась", "уже началась"],
  ])("of %i ms is said in Russian: %s", (ms, ends, starts) => {
    expect([endText(ru, ms), startText(ru, ms)]).toEqual([ends, starts]);
  });

  it("is never said to be longer than it is, and less than two units' worth shorter", () => {
    const units: Record<string, number> = { min: MINUTE, h: HOUR, day: DAY, days: DAY };
    fc.assert(
      fc.property(fc.integer({ min: MINUTE, max: 400 * DAY }), (ms) => {
        const parts = [...plainSpaces(leftText(en, ms)).matchAll(/(\d+) (min|h|days?)/g)];
        const said = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
        expect(said).toBeLessThanOrEqual(ms);
        expect(ms - said).toBeLessThan(ms < 6 * HOUR ? MINUTE : ms < 2 * DAY ? HOUR : DAY);
      }),
    );
  });
});

describe("what a page says and what its script says", () => {
  it.each(["en", "ru"])("is the same in %s, by the same keys", (language) => {
    const { script } = textsIn(language);
    const text = sayTexts(typeof script === "object" ? script : undefined, language);
    const onPage = translate(language);
    for (const ms of [0, 1, MINUTE, HOUR, 3.5 * HOUR, DAY, 2 * DAY, 5 * DAY, 21 * DAY]) {
      for (const say of [endText, startText, exactLengthText]) expect(say(text, ms)).toBe(say(onPage, ms));
    }
  });
});

describe("an exact length", () => {
  it.each([
    [30_000 - 1, "less than a minute"],
    [90 * MINUTE, "1 h 30 min"],
    [DAY, "1 day"],
    [7 * DAY + HOUR + MINUTE, "7 days 1 h 1 min"],
  ])("of %i ms is %s", (ms, text) => {
    expect(plainSpaces(exactLengthText(en, ms))).toBe(text);
  });
});

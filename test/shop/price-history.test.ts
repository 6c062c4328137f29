import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describePrices, drawPriceChart } from "../../src/shop/price-chart.ts";
import { type DiscountVersion, type PriceVersion, priceSteps } from "../../src/shop/price-history.ts";
import { formatFor } from "../../src/web/request/format.ts";
import type { Language } from "../../src/words/i18n/languages.ts";
import { translate } from "../../src/words/i18n/translate.ts";

/** A day and hour of January 2026. */
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 0, day, hour));
const YEAR = { since: at(-350), until: at(31) };

const price = (
  text: string | null,
  from: number,
  to: number | null = null,
  currency = "EUR",
): PriceVersion => ({ price: text, currency, valid_from: at(from), valid_to: to === null ? null : at(to) });

const discount = (
  id: string,
  terms: { percent?: string; price?: string },
  [starts, ends]: [number, number | null],
  [from, to]: [number, number | null] = [starts, null],
): DiscountVersion => ({
  ...{ id, title: id, titles: {}, demo: false, percent: null, price: null, ...terms },
  ...{ starts_at: at(starts), ends_at: ends === null ? null : at(ends) },
  ...{ valid_from: at(from), valid_to: to === null ? null : at(to) },
});

/** Steps as `day: price`, with the discount that made it. */
const told = (prices: PriceVersion[], discounts: DiscountVersion[], window = YEAR) =>
  priceSteps(prices, discounts, window)
    .map(({ from, price, title }) => {
      const day = (from.getTime() - at(0).getTime()) / 86_400_000;
      return `${day}: ${price}${title ? ` ${title}` : ""}`;
    })
    .join(", ");

describe("what an item cost", () => {
  it("is its regular price, from when it was known", () => {
    expect(told([price("10.00", 1)], [])).toBe("1: 10.00");
    expect(told([price("12.00", 5), price("10.00", 1, 5)], [])).toBe("1: 10.00, 5: 12.00");
    expect(told([], [])).toBe("");
    expect(told([], [discount("d", { price: "5" }, [1, 2])])).toBe("");
  });

  it("keeps the old terms of a discount that was edited, ended early or withdrawn", () => {
    const edited = [
      discount("d", { percent: "10" }, [3, 20], [3, 6]),
      discount("d", { percent: "50" }, [3, 20], [6, null]),
    ];
    expect(told([price("10.00", 1)], edited)).toBe("1: 10.00, 3: 9.00 d, 6: 5.00 d, 20: 10.00");
    const endedEarly = [
      discount("d", { percent: "10" }, [3, 20], [3, 6]),
      discount("d", { percent: "10" }, [3, 6], [6, null]),
    ];
    expect(told([price("10.00", 1)], endedEarly)).toBe("1: 10.00, 3: 9.00 d, 6: 10.00");
    const withdrawnWhileRunning = [discount("d", { percent: "10" }, [3, 20], [3, 6])];
    expect(told([price("10.00", 1)], withdrawnWhileRunning)).toBe("1: 10.00, 3: 9.00 d, 6: 10.00");
    const withdrawnBefore = [discount("d", { percent: "10" }, [8, 20], [2, 6])];
    expect(told([price("10.00", 1)], withdrawnBefore)).toBe("1: 10.00");
  });

  it("knows two runs of one discount", () => {
    const runs = [
      discount("d", { percent: "10" }, [3, 5], [3, 8]),
      discount("d", { percent: "20" }, [10, 12], [8, null]),
    ];
    expect(told([price("10.00", 1)], runs)).toBe("1: 10.00, 3: 9.00 d, 5: 10.00, 10: 8.00 d, 12: 10.00");
  });

  it("takes the first known price for discounts that are older", () => {
    expect(told([price("10.00", 20)], [discount("d", { percent: "10" }, [3, 5])])).toBe(
      "3: 9.00 d, 5: 10.00",
    );
  });

  it("is unknown where there was neither a price nor a discount that names one", () => {
    const discounts = [
      discount("share", { percent: "10" }, [3, 5]),
      discount("fixed", { price: "4.00" }, [6, 8]),
    ];
    expect(told([price(null, 1, 10), price("9.00", 10)], discounts)).toBe(
      "1: null, 6: 4.00 fixed, 8: null, 10: 9.00",
    );
  });

  it("leaves out what was in another currency", () => {
    const prices = [price("900.00", 1, 5, "COINS"), price("9.00", 5)];
    expect(told(prices, [discount("d", { percent: "10" }, [3, 7])])).toBe("5: 8.10 d, 7: 9.00");
  });

  it("keeps to its window, and to the clock of those who write", () => {
    const window = { since: at(4), until: at(6) };
    expect(told([price("10.00", 1)], [discount("d", { percent: "10" }, [3, 5])], window)).toBe(
      "4: 9.00 d, 5: 10.00",
    );
    const setBack = [price("1.00", 3, 2), price("10.00", 1, 3), price("12.00", 3)];
    expect(told(setBack, [])).toBe("1: 10.00, 3: 12.00");
    expect(told([price("10.00", 40)], [], window)).toBe("");
  });

  it("is, at every moment, what the lowest price then was; steps have no gaps", () => {
    const day = fc.integer({ min: 0, max: 29 });
    const anyDiscount = fc.record({
      percent: fc.integer({ min: 1, max: 99 }),
      from: day,
      to: day,
      known: day,
      gone: day,
    });
    fc.assert(
      fc.property(
        fc.array(anyDiscount, { maxLength: 6 }),
        fc.integer({ min: 1, max: 29 }),
        (list, changes) => {
          const prices = [price("100.00", 0, changes), price("60.00", changes)];
          const discounts = list.map(({ percent, from, to, known, gone }, n) =>
            discount(`d${n}`, { percent: String(percent) }, [from, to], [known, gone]),
          );
          const steps = priceSteps(prices, discounts, { since: at(-9), until: at(30) });
          steps.forEach((step, place) => {
            expect(step.to).toEqual(steps[place + 1]?.from ?? at(30));
          });
          for (let moment = 0; moment < 30; moment++) {
            const running = list.filter(
              ({ from, to, known, gone }) => Math.max(from, known) <= moment && moment < Math.min(to, gone),
            );
            const regular = moment < changes ? 100 : 60;
            const expected = Math.min(
              regular,
              ...running.map(({ percent }) => (regular * (100 - percent)) / 100),
            );
            const step = steps.find(({ from, to }) => from <= at(moment) && at(moment) < to);
            expect(Number(step?.price)).toBeCloseTo(expected, 6);
          }
        },
      ),
    );
  });
});

const readerOf = (language: Language, timeZone?: string) => ({
  language,
  t: translate(language),
  format: formatFor(language, timeZone),
});

/** Describes prices without the elements around times. */
const described: typeof describePrices = (...of) => describePrices(...of).replace(/<\/?time[^>]*>/g, "");

describe("the chart of prices", () => {
  const steps = (prices: PriceVersion[], discounts: DiscountVersion[] = []) =>
    priceSteps(prices, discounts, YEAR);
  const draw = (drawn: ReturnType<typeof steps>, name = "Gold") =>
    drawPriceChart({ name, steps: drawn }, readerOf("en"));
  const paths = (svg: string, kind: string) =>
    [...svg.matchAll(new RegExp(`<path class="chart-${kind}" d="([^"]*)"/>`, "g"))].map((match) => match[1]);

  it("goes in steps, the whole width, with the regular price where a discount is", () => {
    const svg = draw(steps([price("10.00", 1)], [discount("d", { percent: "50" }, [11, 21])]));
    // From 20 above to 270 at the bottom, where the price is 0; 30 days are 720 units.
    expect(paths(svg, "cost")).toEqual(["M0 20H240V145H480V20H720"]);
    expect(paths(svg, "regular")).toEqual(["M240 20H480"]);
  });

  it("writes the amounts over the prices, not under them", () => {
    const svg = draw(steps([price("10.00", 1)]));
    expect(svg.indexOf('<text class="chart-count"')).toBeGreaterThan(svg.lastIndexOf("<path"));
  });

  it("has a gap where no price was known", () => {
    const svg = draw(steps([price("10.00", 1, 11), price(null, 11, 21), price("5.00", 21)]));
    expect(paths(svg, "cost")).toEqual(["M0 20H240", "M480 145H720"]);
  });

  it("says in words what it shows, and nothing of what stands in a name", () => {
    const drawn = steps([price("10.00", 1)], [discount("d", { percent: "50" }, [11, 21])]);
    expect(described(drawn, readerOf("en"))).toBe(
      "Between 5.00 EUR and 10.00 EUR since 1\u00a0Jan\u00a02026, 00:00\u00a0UTC. Now 10.00 EUR.",
    );
    expect(described(steps([price("10.00", 1)]), readerOf("en", "Asia/Kathmandu"))).toBe(
      "10.00 EUR since 1\u00a0Jan\u00a02026, 05:45\u00a0UTC+5:45.",
    );
    expect(described(steps([price("10.00", 1, 11), price(null, 11)]), readerOf("en"))).toBe(
      "10.00 EUR since 1\u00a0Jan\u00a02026, 00:00\u00a0UTC, sometimes with no price. No price right now.",
    );
    const svg = draw(drawn, `<script>alert("x")</script>`);
    expect(svg).toContain("Price of &lt;script&gt;");
    expect(svg).not.toContain("<script>");
  });

  it("draws prices of a cent and of a fortune", () => {
    for (const amount of ["0.01", "0.00", "999999999999.99"]) {
      const svg = draw(steps([price(amount, 1), ...[]], [discount("d", { price: "0.00" }, [11, 21])]));
      expect(svg).not.toMatch(/NaN|Infinity/);
    }
  });
});

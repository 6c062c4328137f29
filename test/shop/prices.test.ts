import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bestDiscount,
  comparePrices,
  discountedPrice,
  loweredPrice,
  saving,
} from "../../src/records/prices/prices.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { shownDigits } from "../../src/words/currencies.ts";

const percentOff = (percent: string) => ({ percent, price: null });
const newPrice = (price: string) => ({ percent: null, price });
const euros = (price: string | null) => ({ price, currency: "EUR" });

describe("a discounted price", () => {
  it.each([
    ["9.99", "25", "7.49"],
    ["1.00", "12.5", "0.88"],
    ["999999999999.99", "0.01", "999899999999.99"],
  ])("of %s less %s %% is %s", (price, percent, expected) => {
    expect(discountedPrice(euros(price), percentOff(percent))).toBe(expected);
  });

  it("is the new price where that was set, in two digits", () => {
    expect(discountedPrice(euros("10.00"), newPrice("7.5"))).toBe("7.50");
    expect(discountedPrice(euros("10.00"), newPrice("7"))).toBe("7.00");
    expect(discountedPrice(euros(null), newPrice("6.99"))).toBe("6.99");
    expect(discountedPrice({ price: "10.00", currency: "JPY" }, newPrice("7.5"))).toBe("7.50");
  });

  it("is unknown where a percent is taken off an unknown price", () => {
    expect(discountedPrice(euros(null), percentOff("50"))).toBeNull();
  });

  it.each(["", "-1.00", "1,50", "1e3", "0x10", "1.234", "NaN", " 1.00"])("refuses %j as a price", (price) => {
    expect(() => discountedPrice(euros(price), percentOff("10"))).toThrow(RangeError);
  });

  it("agrees with fractions of whole numbers for every price and percent", () => {
    const hundredths = fc.bigInt({ min: 0n, max: 99_999_999_999_999n });
    fc.assert(
      fc.property(hundredths, fc.bigInt({ min: 1n, max: 10_000n }), (price, percent) => {
        expect(discountedPrice(euros(text(price)), percentOff(text(percent)))).toBe(
          text(roundedShare(price, percent)),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the digits of a currency", () => {
  it.each([
    ["335.00", "JPY", "335"],
    ["223.00", "COINS", "223"],
    ["12.50", "COINS", "12.50"],
    ["7.00", "EUR", "7.00"],
    ["12.5", "EUR", "12.50"],
    ["120", "EUR", "120"],
  ])("show %s %s as %s", (price, currency, shown) => {
    expect(shownDigits(price, currency)).toBe(shown);
    expect(formatFor("en").money(price, currency)).toBe(`${shown} ${currency}`);
  });

  it.each([
    ["333.00", "JPY", "50", "167.00"],
    ["10.00", "KWD", "33.33", "6.67"],
    ["1.00", "COINS", "50", "1.00"],
    ["7.50", "COINS", "33", "5.03"],
    ["0.90", "JPY", "10", "0.81"],
  ])("decide what %s %s less %s %% is rounded to: %s", (price, currency, percent, expected) => {
    expect(discountedPrice({ price, currency }, percentOff(percent))).toBe(expected);
  });

  it("leave whole coins whole, rounded half up, never above the old price", () => {
    const coins = fc.bigInt({ min: 0n, max: 999_999_999_999n });
    const currency = fc.constantFrom("COINS", "JPY");
    fc.assert(
      fc.property(coins, currency, fc.bigInt({ min: 1n, max: 10_000n }), (price, currency, percent) => {
        const item = { price: `${price}.00`, currency };
        expect(discountedPrice(item, percentOff(text(percent)))).toBe(`${roundedShare(price, percent)}.00`);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a lowered price", () => {
  it("is there only where there is something to tell", () => {
    expect(loweredPrice(euros("5.00"), newPrice("4.99"))).toBe("4.99");
    expect(loweredPrice(euros(null), newPrice("4.99"))).toBe("4.99");
    expect(loweredPrice(euros("5.00"), newPrice("5.00"))).toBeNull();
    expect(loweredPrice(euros("5.00"), newPrice("6.00"))).toBeNull();
    expect(loweredPrice(euros(null), percentOff("50"))).toBeNull();
    expect(loweredPrice({ price: "1.00", currency: "COINS" }, percentOff("10"))).toBeNull();
  });
});

describe("the discount that wins", () => {
  const end = new Date("2026-12-01T00:00:00Z");
  const discount = (id: string, terms: { percent?: string; price?: string }, ends_at: Date | null = end) => ({
    id,
    percent: null,
    price: null,
    ...terms,
    ends_at,
  });
  const winner = (price: string | null, ...running: ReturnType<typeof discount>[]) => {
    const best = bestDiscount(euros(price), running);
    return best && [best.discount.id, best.newPrice];
  };

  it("is, of several with one price, the one that lasts longest, then the first by id", () => {
    const later = new Date(end.getTime() + 1);
    const [a, b, c] = [
      discount("a", { price: "5.00" }),
      discount("b", { price: "5" }, later),
      discount("c", { price: "5" }, null),
    ];
    expect(winner("9.00", a, b)).toEqual(["b", "5.00"]);
    expect(winner("9.00", a, c, b)).toEqual(["c", "5.00"]);
    expect(winner("9.00", discount("z", { price: "5" }, null), c)).toEqual(["c", "5.00"]);
  });

  it("is a new price, never a percent, where the old price is not known", () => {
    expect(
      winner(null, discount("percent", { percent: "90" }), discount("fixed", { price: "3.00" })),
    ).toEqual(["fixed", "3.00"]);
    expect(winner(null, discount("percent", { percent: "90" }))).toBeUndefined();
    expect(winner("5.00")).toBeUndefined();
  });

  it("is the lowest of all, for any discounts in any order", () => {
    const anyDiscount = fc.record({
      id: fc.uuid(),
      terms: fc.oneof(
        fc.record({ percent: fc.bigInt({ min: 1n, max: 10_000n }).map(text) }),
        fc.record({ price: fc.bigInt({ min: 0n, max: 3_000n }).map(text) }),
      ),
    });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2_000n }),
        fc.array(anyDiscount, { maxLength: 8 }),
        (price, list) => {
          const running = list.map(({ id, terms }) => discount(id, terms));
          const prices = running.map((each) => hundredthsOf(discountedPrice(euros(text(price)), each) ?? ""));
          const [lowest = price] = [price, ...prices].sort((a, b) => (a < b ? -1 : 1));
          const best = bestDiscount(euros(text(price)), running);
          expect(best?.newPrice).toBe(lowest < price ? text(lowest) : undefined);
          expect(bestDiscount(euros(text(price)), running.toReversed())).toEqual(best);
        },
      ),
    );
  });
});

describe("a currency that is a sign", () => {
  it("stands where the language has it", () => {
    const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");
    expect(formatFor("en").money("220000.00", "$")).toBe("$220,000");
    expect(formatFor("en").money("0.50", "€")).toBe("€0.50");
    expect(plain(formatFor("ru").money("220000.00", "$"))).toBe("220 000 $");
    expect(formatFor("en").money("5.00", "A$")).toBe("5 A$");
  });
});

describe("a saving", () => {
  it("is the difference, and its share in whole percent", () => {
    expect(saving("9.99", "6.99")).toEqual({ amount: "3.00", percent: 30 });
    expect(saving("3.33", "2.23")).toEqual({ amount: "1.10", percent: 33 });
    expect(saving("8.00", "7.00")).toEqual({ amount: "1.00", percent: 13 });
    expect(saving("5.00", "0.00")).toEqual({ amount: "5.00", percent: 100 });
    expect(saving("1000.00", "999.99")).toEqual({ amount: "0.01", percent: 0 });
    expect(saving("1000.00", "0.01")).toEqual({ amount: "999.99", percent: 99 });
  });

  it("is missing without an old price or without a lower new one", () => {
    expect(saving(null, "1.00")).toBeUndefined();
    expect(saving("1.00", "1.00")).toBeUndefined();
    expect(saving("1.00", "1.01")).toBeUndefined();
  });
});

describe("prices in order", () => {
  it("are so by their amount", () => {
    expect(["10", "9.9", "9.95", "0.00"].sort(comparePrices)).toEqual(["0.00", "9.9", "9.95", "10"]);
    expect(comparePrices("1", "1.00")).toBe(0);
  });
});

/** The naive way: a fraction of two whole numbers, rounded by comparing twice the remainder with the divisor. */
function roundedShare(price: bigint, percent: bigint): bigint {
  const [numerator, divisor] = [price * (10_000n - percent), 10_000n];
  const whole = numerator / divisor;
  return (numerator % divisor) * 2n >= divisor ? whole + 1n : whole;
}

function text(hundredths: bigint): string {
  const digits = hundredths.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function hundredthsOf(price: string): bigint {
  return BigInt(price.replace(".", ""));
}

import { describe, expect, it } from "vitest";
import { byLength, type Pool, pickPairs } from "../../src/nicknames/pick.ts";
import { createDraw } from "../../src/nicknames/random.ts";

const WIDE = { min: 3, max: 24 };
const NAMES = ["Al", "Bo", "Cat", "Dora", "Edwin", "Fatima", "Grigory", "Hermione"];

describe("drawing", () => {
  it("gives the same numbers for a seed on every machine and Node version", () => {
    const draw = createDraw("almanac");
    expect(Array.from({ length: 8 }, () => draw(1000))).toEqual([256, 877, 433, 127, 32, 967, 649, 635]);
  });

  it("differs from seed to seed and, without one, from time to time", () => {
    const some = (seed?: string) => {
      const draw = createDraw(seed);
      return Array.from({ length: 6 }, () => draw(1_000_000));
    };
    expect(some("a")).toEqual(some("a"));
    expect(some("a")).not.toEqual(some("b"));
    expect(some("")).not.toEqual(some());
    expect(some()).not.toEqual(some());
  });

  it("reaches every number below the limit, and each about as often", () => {
    const draw = createDraw("fair");
    const times = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) {
      const number = draw(7);
      times[number] = (times[number] ?? Number.NaN) + 1;
    }
    for (const count of times) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  });
});

describe("picking pairs", () => {
  it("takes every pair about as often", () => {
    const pool = poolOf({ male: ["Al", "Cat"], female: [] }, { male: ["Ek", "Foss", "Gil"], female: [] });
    const draw = createDraw("even");
    const times = new Map<string, number>();
    for (let i = 0; i < 12_000; i++) {
      const [pair] = pickPairs(pool, "male", WIDE, 1, draw);
      const name = String(pair?.join("_"));
      times.set(name, (times.get(name) ?? 0) + 1);
    }
    expect(times.size).toBe(6);
    for (const count of times.values()) expect(Math.abs(count - 2000)).toBeLessThan(250);
  });

  it("takes as many as asked for and repeats no name while there are others", () => {
    const firsts = NAMES.map((name) => `A${name.toLowerCase()}`);
    const lasts = NAMES.map((name) => `B${name.toLowerCase()}`);
    const pool = poolOf({ male: firsts, female: [] }, { male: lasts, female: [] });
    let repeats = 0;
    for (let i = 0; i < 200; i++) {
      const found = pick(pool, "male", WIDE, 3, `seed ${i}`);
      expect(found).toHaveLength(3);
      if (new Set(found.flatMap((name) => name.split("_"))).size < 6) repeats++;
    }
    expect(repeats).toBeLessThan(20);
  });
});

type Sexes = { male: string[]; female: string[] };

function poolOf(firsts: Sexes & { both?: string[] }, lasts: Sexes): Pool {
  const both = new Set([
    ...(firsts.both ?? []),
    ...firsts.male.filter((name) => firsts.female.includes(name)),
  ]);
  const apart = (names: string[]) => byLength(names.filter((name) => !both.has(name)));
  return {
    firsts: { male: apart(firsts.male), female: apart(firsts.female), both: byLength(both) },
    lasts: {
      male: byLength(lasts.male),
      female: byLength(lasts.female),
      any: byLength(new Set([...lasts.male, ...lasts.female])),
    },
  };
}

function pick(pool: Pool, sex: "male" | "female" | "any", bounds: typeof WIDE, count: number, seed?: string) {
  return pickPairs(pool, sex, bounds, count, createDraw(seed)).map(([first, last]) => `${first}_${last}`);
}

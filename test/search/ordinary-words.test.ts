import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeWords } from "../../src/search/ordinary/make.ts";
import { BloomFilter, FILE, isOrdinaryWord } from "../../src/search/ordinary/ordinary-words.ts";

const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `word ${from + n}`);

describe("a Bloom filter", () => {
  it("has every member, and few others", () => {
    const filter = new BloomFilter(BloomFilter.of(new Set(texts(0, 20_000))));
    expect(texts(0, 20_000).filter((text) => !filter.has(text))).toEqual([]);
    const others = texts(20_000, 60_000).filter((text) => filter.has(text)).length;
    expect(others).toBeGreaterThan(0);
    expect(others / 40_000).toBeLessThan(0.004);
  });
});

describe("ordinary words", () => {
  it("are what the lists say", () => {
    expect(Buffer.compare(readFileSync(FILE), makeWords())).toBe(0);
  });

  it.each(["whose", "swords", "steely", "гоночный", "гоночного", "полететь", "мечами"])(
    "are such: %s",
    (word) => {
      expect(isOrdinaryWord(word)).toBe(true);
    },
  );

  it.each(["infrenus", "swrod", "пистлоет", "thunderfurry", "мск", "a", "剣士"])("are not: %s", (word) => {
    expect(isOrdinaryWord(word)).toBe(false);
  });
});

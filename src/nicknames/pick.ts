import type { Sex } from "./country-names.ts";
import type { Draw } from "./random.ts";

/** Names in buckets: at index 5 those of five letters. */
export type ByLength = readonly (readonly string[])[];

/**
 * The names to pair. First names stand once each, by who bears them; last names by whom they suit, `any` being
 * all of them. A first name of both sexes may take any last name, the others only one of their own sex.
 */
export interface Pool {
  firsts: Record<Sex | "both", ByLength>;
  lasts: Record<Sex | "any", ByLength>;
}

/** First names of one length with last names of one length: their pairs are all as long. */
interface Block {
  firsts: readonly string[];
  lasts: readonly string[];
  size: number;
}

type Pair = readonly [first: string, last: string];

/** Sorts names into buckets by their length. */
export function byLength(names: Iterable<string>): ByLength {
  const buckets: string[][] = [];
  for (const name of names) {
    while (buckets.length <= name.length) buckets.push([]);
    buckets[name.length]?.push(name);
  }
  return buckets;
}

/**
 * Up to `count` different pairs `[first, last]` whose nickname is `min` to `max` characters long, underscore
 * included; all that there are if those are fewer. Nothing is tried in vain: only pairs that fit are counted
 * and drawn from, so a narrow request is answered as fully and as fast as a wide one.
 */
export function pickPairs(
  pool: Pool,
  sex: Sex | "any",
  bounds: { min: number; max: number },
  count: number,
  draw: Draw,
): Pair[] {
  const blocks = fittingBlocks(pool, sex, bounds);
  const total = blocks.reduce((sum, block) => sum + block.size, 0);
  const candidates: Pair[] = [];
  for (const rank of shuffledRanks(total, draw)) {
    const pair = pairAt(blocks, rank);
    if (pair[0].toLowerCase() !== pair[1].toLowerCase()) candidates.push(pair);
    if (candidates.length >= count * CANDIDATES_EACH) break;
  }
  return leastRepeating(candidates, count);
}

/** How many pairs are drawn for each that is wanted, so that there is a choice when names should not repeat. */
const CANDIDATES_EACH = 4;

function fittingBlocks(pool: Pool, sex: Sex | "any", { min, max }: { min: number; max: number }): Block[] {
  const sexes: readonly Sex[] = sex === "any" ? ["male", "female"] : [sex];
  const sides = sexes.map((each) => [pool.firsts[each], pool.lasts[each]] as const);
  const blocks: Block[] = [];
  for (const [firstBuckets, lastBuckets] of [...sides, [pool.firsts.both, pool.lasts[sex]] as const]) {
    for (const [firstLength, firsts] of firstBuckets.entries()) {
      for (const lasts of lastBuckets.slice(
        Math.max(0, min - 1 - firstLength),
        Math.max(0, max - firstLength),
      )) {
        const size = firsts.length * lasts.length;
        if (size > 0) blocks.push({ firsts, lasts, size });
      }
    }
  }
  return blocks;
}

/** The whole numbers below `total`, each once, in random order; a Fisher-Yates shuffle that keeps only what it moved. */
function* shuffledRanks(total: number, draw: Draw): Generator<number> {
  const moved = new Map<number, number>();
  for (let end = total - 1; end >= 0; end--) {
    const at = draw(end + 1);
    yield moved.get(at) ?? at;
    moved.set(at, moved.get(end) ?? end);
    moved.delete(end);
  }
}

function pairAt(blocks: readonly Block[], rank: number): Pair {
  let index = rank;
  for (const { firsts, lasts, size } of blocks) {
    const first = firsts[Math.floor(index / lasts.length)];
    const last = lasts[index % lasts.length];
    if (index < size && first && last) return [first, last];
    index -= size;
  }
  throw new RangeError(`No pair has the rank ${rank}`);
}

/** Puts the pairs whose names came up least before first and takes `count`: ten nicknames, ten families. */
function leastRepeating(candidates: readonly Pair[], count: number): Pair[] {
  const seen = new Map<string, number>();
  const ranked = candidates.map((pair) => {
    const keys = [`${pair[0]}_`, `_${pair[1]}`];
    const repeats = Math.max(...keys.map((key) => seen.get(key) ?? 0));
    for (const key of keys) seen.set(key, (seen.get(key) ?? 0) + 1);
    return { pair, repeats };
  });
  ranked.sort((one, other) => one.repeats - other.repeats);
  return ranked.slice(0, count).map(({ pair }) => pair);
}

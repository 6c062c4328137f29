import type { Sex } from "./country-names.ts";
import type { Draw } from "./random.ts";

/** Names in buckets: index 5 has those of five letters. */
export type ByLength = readonly (readonly string[])[];

/**
 * The names to pair. Each first name is listed once, by sex; last names are listed by the sex they suit, all of
 * them in `any`. A first name of both sexes may take any last name, the others only one of their own sex.
 */
export interface Pool {
  firsts: Record<Sex | "both", ByLength>;
  lasts: Record<Sex | "any", ByLength>;
}

/** First names of one length and last names of one length, so all pairs have the same length. */
interface Block {
  firsts: readonly string[];
  lasts: readonly string[];
  /** The rank of its first pair, and the one after its last, among the pairs of all blocks. */
  start: number;
  end: number;
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
 * included; all of them if there are fewer. Draws only from pairs that fit, so a narrow request is as fast as a
 * wide one.
 */
export function pickPairs(
  pool: Pool,
  sex: Sex | "any",
  bounds: { min: number; max: number },
  count: number,
  draw: Draw,
): Pair[] {
  return leastRepeating(drawPairs(knownBlocks(pool, sex, bounds), draw), count);
}

/** How many pairs to draw at most for each one wanted, to choose those that repeat names least. */
const CANDIDATES_EACH = 4;

/** The blocks of each pool for its last bounds: nearly all requests have the same. */
const known = new WeakMap<Pool, { key: string; blocks: readonly Block[] }>();

function knownBlocks(pool: Pool, sex: Sex | "any", bounds: { min: number; max: number }): readonly Block[] {
  const key = `${sex} ${bounds.min} ${bounds.max}`;
  const last = known.get(pool);
  if (last?.key === key) return last.blocks;
  const blocks = fittingBlocks(pool, sex, bounds);
  known.set(pool, { key, blocks });
  return blocks;
}

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
        const start = blocks.at(-1)?.end ?? 0;
        const end = start + firsts.length * lasts.length;
        if (end > start) blocks.push({ firsts, lasts, start, end });
      }
    }
  }
  return blocks;
}

/** The whole numbers below `total` in random order: a Fisher-Yates shuffle that stores only the moved ones. */
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
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.end ?? 0) <= rank) low = middle + 1;
    else high = middle;
  }
  const { firsts, lasts, start } = blocks[low] ?? { firsts: [], lasts: [], start: 0 };
  const first = firsts[Math.floor((rank - start) / lasts.length)];
  const last = lasts[(rank - start) % lasts.length];
  if (first === undefined || last === undefined) throw new RangeError(`No pair has the rank ${rank}`);
  return [first, last];
}

/** All pairs in random order, but for those that are twice the same name. */
function* drawPairs(blocks: readonly Block[], draw: Draw): Generator<Pair> {
  for (const rank of shuffledRanks(blocks.at(-1)?.end ?? 0, draw)) {
    const pair = pairAt(blocks, rank);
    if (pair[0].toLowerCase() !== pair[1].toLowerCase()) yield pair;
  }
}

/**
 * The `count` candidates that repeat earlier names least, so that ten nicknames have ten last names. Draws no more
 * once so many have repeated none.
 */
function leastRepeating(candidates: Iterable<Pair>, count: number): Pair[] {
  const [firsts, lasts] = [new Map<string, number>(), new Map<string, number>()];
  const fresh: Pair[] = [];
  const repeating: { pair: Pair; repeats: number }[] = [];
  for (const pair of candidates) {
    const repeats = Math.max(countUp(firsts, pair[0]), countUp(lasts, pair[1]));
    if (repeats === 0) fresh.push(pair);
    else repeating.push({ pair, repeats });
    if (fresh.length >= count || fresh.length + repeating.length >= count * CANDIDATES_EACH) break;
  }
  repeating.sort((one, other) => one.repeats - other.repeats);
  return [...fresh, ...repeating.map(({ pair }) => pair)].slice(0, count);
}

/** How often the name was counted before. */
function countUp(counts: Map<string, number>, name: string): number {
  const before = counts.get(name) ?? 0;
  counts.set(name, before + 1);
  return before;
}

import { createHash, randomInt } from "node:crypto";

/** Draws a whole number from 0 to `below` (1 to 2^21), exclusive. */
export type Draw = (below: number) => number;

/**
 * A source of random numbers. With `seed` it gives the same numbers on every machine and Node version, because the
 * state is the seed's SHA-256 and all steps use 32-bit integers. The state is random without a seed.
 */
export function createDraw(seed?: string): Draw {
  const next = sfc32(...(seed === undefined ? randomState() : createState(seed)));
  return (below) => Math.floor((next() / 2 ** 32) * below);
}

type State = readonly [a: number, b: number, c: number];

function createState(seed: string): State {
  const digest = createHash("sha256").update(seed, "utf8").digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)];
}

/** By randomInt, which fetches random bytes for many numbers at once: randomBytes took longer than the names. */
function randomState(): State {
  return [randomInt(2 ** 32), randomInt(2 ** 32), randomInt(2 ** 32)];
}

/**
 * sfc32 by Chris Doty-Humphrey, from PractRand (public domain): a small generator with a period of at least 2^32
 * and no known statistical flaw. https://pracrand.sourceforge.net/RNG_engines.txt
 */
function sfc32(...[seedA, seedB, seedC]: State): () => number {
  let [a, b, c, counter] = [seedA | 0, seedB | 0, seedC | 0, 1];
  const step = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
  // The first outputs still resemble the seed; the author's seeding discards twelve too.
  for (let i = 0; i < 12; i++) step();
  return step;
}

import { LRUCache } from "lru-cache";

/** One number for each of the keys that were asked for lately, in the place that its upper 16 bits say. */
const SIGHTINGS = 1 << 16;
/** An autocomplete is asked the same few hundred things again and again: room for ten times as many. */
const LIMITS = { entries: 5_000, bytes: 16 * 1024 * 1024 };

/**
 * Answers of one epoch, the one in which somebody asked last. Those that were not asked for the longest make room for
 * others.
 */
export class AnswerMemory<Answer extends { readonly body: Buffer }> {
  readonly #answers: LRUCache<string, Answer>;
  readonly #sightings = new Uint32Array(SIGHTINGS);
  #epoch: number | undefined;

  constructor(limits = LIMITS) {
    this.#answers = new LRUCache({
      max: limits.entries,
      maxSize: limits.bytes,
      sizeCalculation: ({ body }, key) => sizeOf(key, body),
    });
  }

  get(key: string, epoch: number): Answer | undefined {
    if (epoch !== this.#epoch) this.#enter(epoch);
    return this.#answers.get(key);
  }

  /**
   * True from the second time on that a key is asked about: most queries never come again, and to keep their answers
   * costs more than to make them. Rarely also the first time, and not if much else was asked about in between.
   */
  wants(key: string): boolean {
    const hash = hashOf(key);
    const slot = hash >>> 16;
    const isKnown = this.#sightings[slot] === hash;
    this.#sightings[slot] = hash;
    return isKnown;
  }

  /** `epoch` is the one in which the answer was begun: one that comes late may be of either side of the change. */
  set(key: string, answer: Answer, epoch: number): void {
    if (epoch !== this.#epoch) return;
    // A copy, because a small buffer is a part of a larger one, which would be kept whole.
    const body = Buffer.allocUnsafeSlow(answer.body.length);
    answer.body.copy(body);
    this.#answers.set(key, { ...answer, body });
  }

  #enter(epoch: number): void {
    this.#answers.clear();
    this.#epoch = epoch;
  }
}

/** Bytes, with what headers and map take beside key and body. */
function sizeOf(key: string, body: Buffer): number {
  return body.length + 2 * key.length + 1_000;
}

/** FNV-1a, of 16-bit units: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

import { LRUCache } from "lru-cache";

/** One number for each recent key, at the index of its upper 16 bits. */
const SIGHTINGS = 1 << 16;
/** Many times the number of different autocomplete requests and pages of a busy day. */
const LIMITS = { entries: 20_000, bytes: 64 * 1024 * 1024 };

/** A cached value. Its `bytes` may grow after it was stored, because other encodings are added. */
interface Sized {
  readonly bytes: number;
}

/** A bounded cache that evicts the least recently used answers. */
export class AnswerMemory<Answer extends Sized> {
  readonly #answers: LRUCache<string, Answer>;
  readonly #sightings = new Uint32Array(SIGHTINGS);

  constructor(limits = LIMITS) {
    this.#answers = new LRUCache({
      max: limits.entries,
      maxSize: limits.bytes,
      sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + 1_000,
    });
  }

  /** Bytes of all answers, including an estimate for headers and the entry itself. */
  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  /** How many answers it holds. */
  get size(): number {
    return this.#answers.size;
  }

  get(key: string): Answer | undefined {
    return this.#answers.get(key);
  }

  /** Stores an answer, or the same one again once it has grown. */
  set(key: string, answer: Answer): void {
    // An LRUCache keeps the old size if a key gets the same value again.
    if (this.#answers.peek(key) === answer) this.#answers.delete(key);
    this.#answers.set(key, answer);
  }

  /** True from the second request for a key on (nearly always), because most queries never recur. */
  wants(key: string): boolean {
    const hash = computeHash(key);
    const slot = hash >>> 16;
    const isKnown = this.#sightings[slot] === hash;
    this.#sightings[slot] = hash;
    return isKnown;
  }
}

/** FNV-1a, of 16-bit units: http://www.isthe.com/chongo/tech/comp/fnv/ */
function computeHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

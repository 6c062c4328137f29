import { bitsOfBuckets, type Groups, group, Uint32List } from "./numbers.ts";

/** Names of fewer words have initials that are in many words; nobody counts more words. */
const WORDS = { least: 3, most: 8 } as const;

const LETTERS = new RegExp(`^\\p{Letter}{${WORDS.least},${WORDS.most}}$`, "u");

/** Records by the initials of their names, in buckets that different initials share. */
export type InitialsData = Groups;

export class InitialsBuilder {
  readonly #hashes = new Uint32List();
  readonly #records = new Uint32List();

  /** Takes a normalised name of a record. */
  add(name: string, record: number): void {
    const initials = initialsOf(name);
    if (initials === undefined) return;
    this.#hashes.push(hashOf(initials));
    this.#records.push(record);
  }

  finish(): InitialsData {
    const bits = bitsOfBuckets(this.#hashes.length);
    const buckets = this.#hashes.toArray().map((hash) => hash >>> (32 - bits));
    return group(buckets, this.#records.toArray(), 1 << bits);
  }
}

/** The first letters of a normalised name's words; undefined where it has too few or too many, or one has no letter. */
function initialsOf(name: string): string | undefined {
  const words = name.split(" ", WORDS.most + 1);
  if (words.length < WORDS.least || words.length > WORDS.most) return undefined;
  const initials = words.map((word) => word.charAt(0)).join("");
  return areInitials(initials) ? initials : undefined;
}

/** Whether a typed word may be the initials of a name. */
export function areInitials(typed: string): boolean {
  return LETTERS.test(typed);
}

/** The records that may have such initials, ascending; some come twice. */
export function recordsInBucket({ starts, members }: InitialsData, initials: string): Uint32Array {
  const bucket = hashOf(initials) >>> (32 - bitsOfBuckets(members.length));
  return members.subarray(starts[bucket], starts[bucket + 1]);
}

function hashOf(initials: string): number {
  let hash = 0;
  for (let at = 0; at < initials.length; at++) hash = Math.imul(hash ^ initials.charCodeAt(at), 0x9e3779b1);
  return hash >>> 0;
}

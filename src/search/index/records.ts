import { Uint32List } from "./numbers.ts";

/** What the index keeps of a record: everything that a hit shows. */
export interface IndexedRecord {
  id: string;
  name: string;
  /** Locale to name. */
  names: Record<string, string>;
  category: string | null;
  /** An https address or a path of this site. */
  image: string | null;
  popularity: number | null;
  /** Other names that it is found by but not shown with. */
  aliases?: readonly string[] | null;
}

/** A record as the index gets it. */
export interface RecordToIndex extends IndexedRecord {
  /** More values than its names: category, and values of attributes that many records share. */
  readonly values?: readonly string[];
}

/** A record as the index stores it. */
export function recordJson({ id, name, names, category, image, popularity, aliases }: IndexedRecord): string {
  const parts = [id, name, names, category, image, popularity];
  return JSON.stringify(aliases && aliases.length > 0 ? [...parts, aliases] : parts);
}

export function parseRecord(json: string): IndexedRecord {
  const [id, name, names, category, image, popularity, aliases] = JSON.parse(json);
  return { id, name, names, category, image, popularity, ...(aliases && { aliases }) };
}

/** The records as JSON in UTF-8, one after the other. */
export interface RecordsData {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each record begins, and one entry for the end. */
  readonly starts: Uint32Array<ArrayBuffer>;
}

export class RecordsBuilder {
  #bytes = Buffer.alloc(65_536);
  #used = 0;
  readonly #starts = new Uint32List();

  get size(): number {
    return this.#starts.length;
  }

  add(record: IndexedRecord): void {
    const json = recordJson(record);
    const bytes = Buffer.byteLength(json);
    if (this.#used + bytes > this.#bytes.length) {
      const larger = Buffer.alloc(2 * this.#bytes.length + bytes);
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#starts.push(this.#used);
    this.#used += this.#bytes.write(json, this.#used);
  }

  finish(): RecordsData {
    this.#starts.push(this.#used);
    const bytes = new Uint8Array(this.#used);
    bytes.set(this.#bytes.subarray(0, this.#used));
    return { bytes, starts: this.#starts.toArray() };
  }
}

/** Begins with what JSON and UTF-8 have as it is. */
const PLAIN = /^[a-z0-9]/i;

export class Records {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;

  constructor({ bytes, starts }: RecordsData) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#starts = starts;
  }

  read(record: number): IndexedRecord {
    return parseRecord(this.json(record));
  }

  /** Whether the first part of a record, its id, is this: reading the record to compare ids takes far longer. */
  hasId(record: number, id: string): boolean {
    const start = (this.#starts[record] ?? 0) + 1;
    // Most ids differ in their first letter.
    if (PLAIN.test(id) && this.#bytes[start + 1] !== id.charCodeAt(0)) return false;
    const json = Buffer.from(JSON.stringify(id));
    return this.#bytes.subarray(start, start + json.length).equals(json);
  }

  json(record: number): string {
    return this.#bytes.toString("utf8", this.#starts[record], this.#starts[record + 1]);
  }
}

/** Sorts records as `IndexBuilder` takes them and `readInRankOrder` reads them: by popularity, name and id. */
export function compareRank(a: IndexedRecord, b: IndexedRecord): number {
  return comparePopularity(a, b) || byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id);
}

/** The more popular one first. */
export function comparePopularity(a: IndexedRecord, b: IndexedRecord): number {
  return (b.popularity ?? -1) - (a.popularity ?? -1);
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** UTF-8 sorts as code points do; UTF-16 does not. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** FNV-1a over UTF-16 code units (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

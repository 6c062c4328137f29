import { Uint32List } from "./ranges.ts";

/** A hash table with open addressing: record number + 1, or 0 for an empty slot. */
export interface IdsData {
  readonly slots: Uint32Array<ArrayBuffer>;
}

export class IdTableBuilder {
  readonly #hashes = new Uint32List();

  add(id: string): void {
    this.#hashes.push(hashOf(id));
  }

  finish(): IdsData {
    const hashes = this.#hashes.toArray();
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * hashes.length + 2)));
    hashes.forEach((hash, record) => {
      let slot = hash & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = record + 1;
    });
    return { slots };
  }
}

/** The record with an id; `isOf` checks whether a record has it. */
export function findId(
  { slots }: IdsData,
  id: string,
  isOf: (record: number) => boolean,
): number | undefined {
  for (let slot = hashOf(id) & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
    const record = (slots[slot] ?? 0) - 1;
    if (record < 0) return undefined;
    if (isOf(record)) return record;
  }
}

/** FNV-1a over UTF-16 code units (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

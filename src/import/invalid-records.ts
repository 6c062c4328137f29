import type { FieldProblem } from "./records/record-reader.ts";
import type { Rejection } from "./storage/queries.ts";

/** A record that was not taken, by its number in the file from 1, with everything that is wrong with it. */
export interface InvalidRecord {
  readonly record: number;
  readonly id?: string;
  readonly problems: FieldProblem[];
}

/** So many are told in full; a file that is wrong throughout would else say the same a million times. */
export const TOLD_IN_FULL = 50;

/** Counts invalid records and keeps the first of them. */
export class Problems {
  #count = 0;
  #first = new Map<number, InvalidRecord>();

  get count(): number {
    return this.#count;
  }

  /** Notes a record; records must come in the order of the file. */
  add(invalid: InvalidRecord): void {
    this.#count++;
    if (this.#first.size < TOLD_IN_FULL) this.#first.set(invalid.record, invalid);
  }

  /** Notes what the database found: more of the same records, or `rejected` further ones. */
  addStaged({ rejected, problems }: Rejection): void {
    this.#count += rejected;
    for (const { record, id, field, reason } of problems) {
      const there = this.#first.get(record)?.problems ?? [];
      this.#first.set(record, { record, id, problems: [...there, { field, reason }] });
    }
  }

  /** The first invalid records in the order of the file. */
  first(): InvalidRecord[] {
    return [...this.#first.values()].sort((a, b) => a.record - b.record).slice(0, TOLD_IN_FULL);
  }
}

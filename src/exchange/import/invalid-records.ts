import type { FieldError } from "./records/json-values.ts";
import type { RefusedRecords } from "./storage/queries.ts";

/** A refused record, by its number in the file from 1, with everything that is wrong with it. */
export interface InvalidRecord {
  readonly record: number;
  readonly id?: string;
  /** Named as in the JSON report. */
  readonly problems: FieldError[];
}

/** Only so many are reported: a file that is wrong throughout would repeat itself a million times. */
export const REPORTED_AT_MOST = 50;

/** Counts invalid records and keeps the first ones. */
export class InvalidRecords {
  #count = 0;
  #first = new Map<number, InvalidRecord>();
  readonly #reportedAtMost: number;

  constructor(reportedAtMost = REPORTED_AT_MOST) {
    this.#reportedAtMost = reportedAtMost;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a record; records must come in the order of the file. */
  add(invalid: InvalidRecord): void {
    this.#count++;
    if (this.#first.size < this.#reportedAtMost) this.#first.set(invalid.record, invalid);
  }

  /** Adds what the database found: errors of further records, and of those already added. */
  addStaged({ refused, errors }: RefusedRecords): void {
    this.#count += refused;
    for (const { record, id, field, reason } of errors) {
      const there = this.#first.get(record)?.problems ?? [];
      this.#first.set(record, { record, id, problems: [...there, { field, reason }] });
    }
  }

  /** The first invalid records in the order of the file. */
  first(): InvalidRecord[] {
    return [...this.#first.values()].sort((a, b) => a.record - b.record).slice(0, this.#reportedAtMost);
  }
}

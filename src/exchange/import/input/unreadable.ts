import { Refusal } from "../../../records/values.ts";
import { lazyText, SaidError } from "../../../words/i18n/lazy-text.ts";

/** Longer records are refused: each has to be held in memory as a whole. */
export const MAX_RECORD_LENGTH = 1_000_000;

/** A file that is not what it claims to be; nothing of it is imported. */
export class BrokenFileError extends SaidError {
  override name = "BrokenFileError";
  constructor(...said: Parameters<typeof lazyText>) {
    super(lazyText(...said));
  }
}

/** A record that could not be read, in a file that can be read on. */
export class Unreadable extends Refusal {}

/** The error for a record that does not end. */
export function tooLong(record: number): BrokenFileError {
  return new BrokenFileError("refusals.too_long", { record, max: MAX_RECORD_LENGTH });
}

/** The error for a file that ends too early. */
export function cutOff(record: number): BrokenFileError {
  return new BrokenFileError("refusals.cut_off", { record });
}

/** Joins what was read ahead with the rest, and ends the rest even if the reader stops before it. */
export async function* prepend<T>(head: T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* head;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

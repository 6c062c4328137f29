/** A record longer than this is no record of a catalogue, and it would have to be held in memory as a whole. */
export const MAX_RECORD_LENGTH = 1_000_000;

/** A file that cannot be read to its end as what it claims to be; nothing of it is taken. */
export class BrokenFileError extends Error {
  override name = "BrokenFileError";
}

/** A record that could not be read, in a file whose next records can be. */
export class Unreadable {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** What a reader throws for a record that does not end. */
export function tooLong(record: number): BrokenFileError {
  return new BrokenFileError(`record ${record} has more than ${MAX_RECORD_LENGTH} characters`);
}

/** What a reader throws where the file ends too early. */
export function cutOff(record: number): BrokenFileError {
  return new BrokenFileError(`the file ends within record ${record}; is it cut off?`);
}

/** A letter that is written from right to left, or a mark that turns the direction of what follows it. */
const TURNING =
  /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A value in a sentence, where a name in Hebrew or Arabic would change the direction of the words and numbers around
 * it. The marks also work without markup: in titles, mails, push messages and chats.
 */
export function isolated(value: string): string {
  return TURNING.test(value) ? `\u2068${value.replace(MARKS, "")}\u2069` : value;
}

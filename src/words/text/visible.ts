/**
 * A character that can be seen: not the fillers of Hangul and the blank of Braille either, which Unicode calls letters and
 * signs.
 */
export const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The marks that turn the direction of whatever follows them, up to an end that may never come. A text has a direction of
 * its own by its letters.
 */
const TURN = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text without these marks. */
export function withoutTurns(text: string): string {
  return text.replace(TURN, "");
}

/** True for text without a visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

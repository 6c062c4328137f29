/**
 * A character that can be seen: not the fillers of Hangul and the blank of Braille either, which Unicode calls letters and
 * signs.
 */
export const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True for text without a visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

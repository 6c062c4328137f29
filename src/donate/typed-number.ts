/**
 * A number as people type it, with a point or a comma before its fraction, as one with a point. Undefined for a comma
 * before exactly three digits, which may as well part thousands: no price is guessed.
 */
export function withPoint(typed: string): string | undefined {
  if (/^\d+,\d{3}$/.test(typed)) return undefined;
  return /^\d+,\d+$/.test(typed) ? typed.replace(",", ".") : typed;
}

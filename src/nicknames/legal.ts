/** Shortest and longest nickname, underscore included. https://open.mp/docs/scripting/functions/SetPlayerName */
export const nicknameLength = { min: 3, max: 24 };

/** Prefixes that allow one inner capital after them: McDonald, OConnor, DeLuca. */
const innerCapitalPrefixes = [
  "Mc",
  "Mac",
  "O",
  "De",
  "Di",
  "Du",
  "Da",
  "Van",
  "Von",
  "La",
  "Le",
  "Fitz",
  "San",
] as const;

const partPattern = new RegExp(`^(?:(?:${innerCapitalPrefixes.join("|")})(?=[A-Z]))?[A-Z][a-z]+$`);

/**
 * True if `text` may be one half of a role-play nickname (`First_Last`). That is at least two letters, A-Z a-z, with
 * a capital only at the start or once after a prefix (McDonald).
 */
export function isLegalPart(text: string): boolean {
  return partPattern.test(text);
}

/** Shortest and longest nickname, underscore included. https://open.mp/docs/scripting/functions/SetPlayerName */
export const nicknameLength = { min: 3, max: 24 };

/** After these a part may have its one inner capital: McDonald, OConnor, DeLuca. */
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

/** Whether `text` may be one half of a nickname: two letters at least, A-Z only where the name begins. */
export function isLegalPart(text: string): boolean {
  return partPattern.test(text);
}

/**
 * Whether `text` is a role-play nickname that SA-MP and open.mp accept: `First_Last`, 3 to 24 characters,
 * A-Z a-z and one underscore, capitals only where a name begins or once after a prefix (McDonald).
 */
export function isLegalNickname(text: string): boolean {
  const parts = text.split("_");
  const fits = text.length >= nicknameLength.min && text.length <= nicknameLength.max;
  return fits && parts.length === 2 && parts.every(isLegalPart);
}

/** Why a nickname would be refused, as sentences for its player; empty if it is legal. */
export function explainNickname(text: string): string[] {
  const reasons: string[] = [];
  if (text.length < nicknameLength.min) reasons.push(`It is shorter than ${nicknameLength.min} characters.`);
  if (text.length > nicknameLength.max) reasons.push(`It is longer than ${nicknameLength.max} characters.`);
  const foreign = [...new Set(text.match(/[^A-Za-z_]/gu))];
  if (foreign.length > 0)
    reasons.push(`Only the letters A-Z and a-z may stand in it, not ${quote(foreign)}.`);
  const parts = text.split("_");
  if (parts.length !== 2) reasons.push("It needs exactly one underscore, between first and last name.");
  else reasons.push(...parts.flatMap((part, index) => explainPart(part, index === 0 ? "first" : "last")));
  return reasons;
}

function explainPart(part: string, which: "first" | "last"): string[] {
  if (part === "") return [`The ${which} name is missing.`];
  const reasons: string[] = [];
  if (part.length === 1) reasons.push(`The ${which} name needs at least two letters.`);
  if (/^[a-z]/.test(part)) reasons.push(`The ${which} name must begin with a capital.`);
  const inner = [...part.matchAll(/(?<!^)[A-Z]/g)].map((match) => match.index);
  const [only] = inner;
  if (only === undefined) return reasons;
  const allowed = innerCapitalPrefixes.some((prefix) => prefix === part.slice(0, only));
  if (inner.length > 1) reasons.push(`The ${which} name has more than one capital inside.`);
  else if (!allowed) {
    reasons.push(`The ${which} name has a capital inside; that is allowed only after ${listPrefixes()}.`);
  } else if (only === part.length - 1) reasons.push(`The ${which} name ends with a capital.`);
  return reasons;
}

function listPrefixes(): string {
  return `${innerCapitalPrefixes.slice(0, -1).join(", ")} and ${innerCapitalPrefixes.at(-1)}`;
}

function quote(characters: string[]): string {
  return characters.map((character) => (character === " " ? "a space" : `"${character}"`)).join(", ");
}

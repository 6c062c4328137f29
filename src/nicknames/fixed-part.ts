import type { CountryCode } from "./countries.ts";
import { isLegalPart } from "./legal.ts";
import { romanise, stripMarks } from "./romanise/romanise.ts";

/** Fewest and most letters of a fixed first or last name, counted in Latin letters. */
export const fixedPartLength = { min: 2, max: 20 };

/** A fixed part as it will stand in every nickname, or why it cannot. */
export type FixedPart = { ok: true; name: string } | { ok: false; reason: string };

/**
 * Turns what a player typed as first or last name into the part that the nicknames will have: Latin letters
 * without marks, a capital at the start. The one inner capital of McDonald or DeLuca stays if it was typed;
 * nothing else is changed. Spaces around it do not count; anything in it but letters is refused.
 * Which language's rules romanise it follows from its letters and `country`: ü is ue for `de` and u elsewhere.
 */
export function normaliseFixedPart(text: string, country: CountryCode): FixedPart {
  const typed = text.trim().normalize("NFKC");
  const stranger = firstStranger(typed);
  if (stranger) return { ok: false, reason: `Only letters can be used, not ${stranger}.` };
  const name = isLatin(typed) ? capitalise(stripMarks(typed, country)) : capitalise(romanise(typed, country));
  if (!/^[A-Za-z]+$/.test(name))
    return { ok: false, reason: "It cannot be written in the letters A-Z; type it so." };
  if (name.length < fixedPartLength.min || name.length > fixedPartLength.max) {
    const { min, max } = fixedPartLength;
    return { ok: false, reason: `It must have ${min} to ${max} letters; "${name}" has ${name.length}.` };
  }
  return { ok: true, name };
}

function isLatin(text: string): boolean {
  return /^[\p{Script=Latin}\p{M}]+$/u.test(text);
}

/** The first character that is no letter, named for its player; an apostrophe between Cyrillic letters is spelling. */
function firstStranger(text: string): string | undefined {
  const letters = text.replace(/(?<=\p{Script=Cyrillic})['’](?=\p{Script=Cyrillic})/gu, "");
  const [stranger] = letters.match(/[^\p{L}\p{M}]/u) ?? [];
  if (stranger === undefined) return undefined;
  if (/\s/u.test(stranger)) return "a space";
  if (stranger === "_") return "an underscore (the generator sets it)";
  if (/\p{N}/u.test(stranger)) return `the digit "${stranger}"`;
  if (/['’‘`]/u.test(stranger)) return "an apostrophe (type OConnor)";
  if (/\p{Pd}/u.test(stranger)) return "a hyphen";
  return /[\p{P}\p{S}]/u.test(stranger) ? `the sign "${stranger}"` : "a control or special character";
}

function capitalise(name: string): string {
  const started = name.charAt(0).toUpperCase() + name.slice(1);
  return isLegalPart(started) ? started : name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
}

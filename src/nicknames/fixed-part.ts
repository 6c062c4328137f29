import type { LazyText } from "../words/i18n/lazy-text.ts";
import type { CountryCode } from "./countries.ts";
import { isLegalPart } from "./legal.ts";
import { romanise, stripMarks } from "./romanise.ts";

/** Fewest and most letters of a fixed first or last name, counted in Latin letters. */
export const fixedPartLength = { min: 2, max: 20 };

const APOSTROPHES = /['’‘`]/u;
const HYPHENS = /\p{Pd}/u;

/** A fixed part in its final form, or why it is refused, in words that complete "<field> …". */
export type FixedPart = { ok: true; name: string } | { ok: false; reason: LazyText };

/**
 * Turns a typed first or last name into a part of a nickname: Latin letters without marks, a capital at the
 * start. The one inner capital of McDonald or DeLuca stays if it was typed; nothing else is changed. Spaces
 * around the name are ignored; anything in it except letters is refused. Its letters and `country` determine
 * the romanisation rules: ü is ue for `de` and u elsewhere.
 */
export function normaliseFixedPart(text: string, country: CountryCode): FixedPart {
  const typed = text.trim().normalize("NFKC");
  const stranger = findStranger(typed, country);
  if (stranger) return refuse(stranger);
  const name = isLatin(typed) ? capitalise(stripMarks(typed, country)) : capitalise(romanise(typed, country));
  if (!/^[A-Za-z]+$/.test(name)) return refuse({ key: "nicknames.errors.alphabet", values: {} });
  const { min, max } = fixedPartLength;
  const { length } = name;
  if (length < min) return refuse({ key: "nicknames.errors.too_short", values: { name, min } });
  if (length > max) {
    return refuse({ key: "nicknames.errors.too_long", values: { name, length, max, over: length - max } });
  }
  return { ok: true, name };
}

function refuse(reason: LazyText): FixedPart {
  return { ok: false, reason };
}

function isLatin(text: string): boolean {
  return /^[\p{Script=Latin}\p{M}]+$/u.test(text);
}

/** The error for the first character that is not a letter; allows an apostrophe between Cyrillic letters. */
function findStranger(text: string, country: CountryCode): LazyText | undefined {
  const letters = text.replace(/(?<=\p{Script=Cyrillic})['’](?=\p{Script=Cyrillic})/gu, "");
  const [stranger] = letters.match(/[^\p{L}\p{M}]/u) ?? [];
  if (stranger === undefined) return undefined;
  if (/\s/u.test(stranger)) return { key: "nicknames.errors.space", values: {} };
  if (stranger === "_") return { key: "nicknames.errors.underscore", values: {} };
  if (/\p{N}/u.test(stranger)) return { key: "nicknames.errors.digits", values: signsIn(letters, /\p{N}/gu) };
  if (APOSTROPHES.test(stranger)) {
    const name = withoutSign(letters, APOSTROPHES, country);
    return name === undefined
      ? { key: "nicknames.errors.apostrophe", values: {} }
      : { key: "nicknames.errors.apostrophe_instead", values: { name } };
  }
  if (HYPHENS.test(stranger)) {
    const name = withoutSign(letters, HYPHENS, country);
    return name === undefined
      ? { key: "nicknames.errors.hyphen", values: {} }
      : { key: "nicknames.errors.hyphen_instead", values: { name } };
  }
  if (!/[\p{P}\p{S}]/u.test(stranger)) return { key: "nicknames.errors.control", values: {} };
  return { key: "nicknames.errors.signs", values: signsIn(letters, /[\p{P}\p{S}]/gu) };
}

/** The name without the sign, as a suggestion; undefined if it is still refused. */
function withoutSign(text: string, sign: RegExp, country: CountryCode): string | undefined {
  const rest = normaliseFixedPart(text.replace(new RegExp(sign, "gu"), ""), country);
  return rest.ok ? rest.name : undefined;
}

/** All signs of a kind, each once, so that one message names them all. */
function signsIn(text: string, kind: RegExp): { signs: string } {
  return { signs: [...new Set(text.match(kind))].join(" ") };
}

function capitalise(name: string): string {
  const started = name.charAt(0).toUpperCase() + name.slice(1);
  return isLegalPart(started) ? started : name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
}

import { z } from "zod";
import { oneOf, SPACES, text, wholeNumber } from "../web/request/params.ts";
import { type LazyText, zodMessage } from "../words/i18n/lazy-text.ts";
import { type CountryCode, countryCodes } from "./countries.ts";
import { fixedPartLength, normaliseFixedPart } from "./fixed-part.ts";
import type { NicknameRequest } from "./generate.ts";
import { nicknameLength } from "./legal.ts";

const MODES = ["real", "mixed", "invented"] as const;
const SEXES = ["any", "male", "female"] as const;

/** The name length that most servers allow; a longer minimum raises it. */
export const USUAL_MAX_LENGTH = 20;

const country = z
  .string()
  .toLowerCase()
  .pipe(z.enum(countryCodes, { error: zodMessage("input.one_of", { values: countryCodes.join(", ") }) }))
  // The description mentions upper case: twice the codes would double the constants of a client.
  .meta({ override: { type: "string", enum: [...countryCodes] } });

const length = wholeNumber(nicknameLength.min, nicknameLength.max);

/** Checks the shape of a name only; romanisation and length come later. */
const fixedPart = text(1, 100)
  .meta({ override: { type: "string", minLength: 1, maxLength: 100, pattern: namePattern() } })
  .optional();

/** A pattern of Latin letters, or of a text with letters that are not ASCII, perhaps with an apostrophe between them. */
function namePattern(): string {
  const { min, max } = fixedPartLength;
  const other = `[^\\u0000-\\u007f${SPACES}]`;
  const any = `[^\\u0000-&(-@\\u005b-\`{-\\u007f${SPACES}]`;
  return `^[${SPACES}]*(?:[A-Za-z]{${min},${max}}|${any}*${other}${any}*)[${SPACES}]*$`;
}

const parameters = z.object({
  country: country.default("us"),
  mode: oneOf(MODES).default("real"),
  sex: oneOf(SEXES).default("any"),
  first: fixedPart,
  last: fixedPart,
  min_len: length.default(nicknameLength.min),
  max_len: length.optional(),
  count: wholeNumber(1, 100).default(10),
  seed: text(1, 64).optional(),
});

type Parameters = z.output<typeof parameters>;

/** The generator's parameters. Requirements that no list of names could satisfy are bad input too. */
export const nicknameInput = parameters.superRefine(
  (input, context) => {
    for (const { param, said: error } of findErrors(input, context.issues.length > 0)) {
      context.addIssue({ code: "custom", path: [param], message: zodMessage(error.key, error.values) });
    }
  },
  // Runs despite other errors, so that the caller gets all of them at once.
  { when: () => true },
);

export const nicknameOutput = z.object({
  country: z.enum(countryCodes),
  mode: z.enum(MODES),
  sex: z.enum(SEXES),
  count: z
    .int()
    .min(0)
    .max(100)
    .meta({ description: "The number of nicknames; less than `count` if no more exist." }),
  nicknames: z.array(z.string()).meta({ description: "First_Last, without duplicates." }),
});

/** The generator's request from valid parameters. */
export function toNicknameRequest(input: Parameters): NicknameRequest {
  const { min_len: minLength, max_len: maxLength = Math.max(USUAL_MAX_LENGTH, minLength) } = input;
  const { country, mode, sex, count, seed } = input;
  const first = readPart(input.first, country);
  const last = readPart(input.last, country);
  return { country, mode, sex, count, seed, minLength, maxLength, first, last };
}

function readPart(text: string | undefined, country: CountryCode): string | undefined {
  const part = text === undefined ? undefined : normaliseFixedPart(text, country);
  return part?.ok ? part.name : undefined;
}

/** Errors in fixed parts and, if all parameters are readable, in their combination. */
function findErrors(input: Parameters, isPartial: boolean): { param: string; said: LazyText }[] {
  const errors = (["first", "last"] as const).flatMap((param) => {
    const reason = refusal(input[param], input.country);
    return reason === undefined ? [] : [{ param, said: reason }];
  });
  return isPartial ? errors : [...errors, ...findImpossible(toNicknameRequest(input))];
}

/** Falls back to the US, because `country` holds a raw value or nothing if it is invalid. */
function refusal(text: unknown, country: CountryCode): LazyText | undefined {
  if (typeof text !== "string") return undefined;
  const part = normaliseFixedPart(text, countryCodes.includes(country) ? country : "us");
  return part.ok ? undefined : part.reason;
}

/** An error in a request: its parameter and words that complete "<field> …". */
interface Impossibility {
  param: "first" | "last" | "min_len";
  said: LazyText;
}

/**
 * Finds the requirements that no list of names could satisfy; empty if an answer is possible, even if that finds no
 * names. Fixed parts must be normalised by `normaliseFixedPart`.
 */
export function findImpossible(request: NicknameRequest): Impossibility[] {
  const { first, last, minLength: min, maxLength: max } = request;
  const found: Impossibility[] = [];
  if (min > max)
    found.push({ param: "min_len", said: { key: "nicknames.errors.bounds", values: { min, max } } });
  if (first !== undefined && last !== undefined) return [...found, ...findInBoth(first, last, request)];
  if (first !== undefined) found.push(...findTooLong("first", first, max));
  if (last !== undefined) found.push(...findTooLong("last", last, max));
  return found;
}

/** Counts an underscore and the shortest other part too. */
function findTooLong(param: "first" | "last", name: string, max: number): Impossibility[] {
  const length = name.length + 1 + fixedPartLength.min;
  if (length <= max) return [];
  const values = { name, length, max, over: length - max };
  return [{ param, said: { key: `nicknames.errors.${param}_too_long`, values } }];
}

function findInBoth(first: string, last: string, request: NicknameRequest): Impossibility[] {
  const { minLength: min, maxLength: max } = request;
  const found: Impossibility[] = [];
  if (first.toLowerCase() === last.toLowerCase()) {
    found.push({ param: "last", said: { key: "nicknames.errors.same", values: { name: last } } });
  }
  const name = `${first}_${last}`;
  const { length } = name;
  if (length > max) {
    const values = { name, length, max, over: length - max };
    found.push({ param: "last", said: { key: "nicknames.errors.both_too_long", values } });
  } else if (length < min) {
    const values = { name, length, min, under: min - length };
    found.push({ param: "last", said: { key: "nicknames.errors.both_too_short", values } });
  }
  return found;
}

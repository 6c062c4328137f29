/** Levels of objects and lists in JSON of somebody else's. What walks it takes a call for each level. */
export const LEVELS_AT_MOST = 64;

/** Whether a value out of JSON.parse, which itself takes any depth, has more levels. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === LEVELS_AT_MOST) return true;
    level = level.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return false;
}

/** True for an object that is neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const MAYBE_LONG = /\d[\d.]{15}/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** The fewest digits of an integer that a number may not hold exactly: 2^53 has as many. */
const LONG = 16;
/** The largest number has as many digits. */
const MOST_ZEROS = 309;

/**
 * Parses JSON, with integers beyond 2^53 as the text of their digits: ids of Steam and Discord are that long, and
 * rounding them would give another id.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAYBE_LONG.test(text)) return value;
  // Not by a reviver: it fails where the text has thousands of levels.
  const exact = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : keepDigits(token)));
  // A key cannot be a number, so quotes around one change nothing else.
  return exact === text ? value : JSON.parse(exact);
}

function keepDigits(token: string): string {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+(?=.)/, "");
  if (digits.length < LONG || Number.isSafeInteger(Number(token))) return token;
  const zeros = Number(exponent) - fraction.length;
  if (zeros > MOST_ZEROS || (zeros < 0 && /[1-9]/.test(digits.slice(zeros)))) return token;
  return `"${sign}${zeros < 0 ? digits.slice(0, zeros) : digits + "0".repeat(zeros)}"`;
}

import { createScanner, type ParseError, printParseErrorCode } from "jsonc-parser";

const NUMBERS = "a number is written as 5, -5 or 0.5";

/** No vocabulary is deeper than nine; reading takes a call a level. */
const DEEPEST = 30;

/** Where a text is nested deeper than any vocabulary; undefined: nowhere. */
export function tooDeepAt(source: string): number | undefined {
  const scanner = createScanner(source, true);
  let depth = 0;
  do {
    scanner.scan();
    // Brackets in texts and comments are within longer tokens.
    const token = scanner.getTokenLength() === 1 ? source[scanner.getTokenOffset()] : undefined;
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > DEEPEST) return scanner.getTokenOffset();
  } while (scanner.getPosition() < source.length);
  return undefined;
}

/** What is wrong with a text that is not JSON, and what to write instead. */
export function syntaxMessage(error: ParseError | undefined, source: string): string {
  if (source.trim() === "") return "is empty: an empty vocabulary is {}";
  if (/^\s*</.test(source)) return "is a page or another kind of file, not JSON";
  if (!/^\s*([[{"]|\/[/*])/.test(source)) return "is not JSON: it begins with {";
  if (error === undefined) return "is not JSON";
  const code = printParseErrorCode(error.error);
  const reason = code === "InvalidSymbol" ? symbolMessage(source, error) : SYNTAX[code];
  return `is not JSON${reason === undefined ? "" : `: ${reason}`}`;
}

const SYNTAX: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is missing, such as "label"',
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing after a name",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a } is missing",
  CloseBracketExpected: "a ] is missing",
  EndOfFileExpected: "something follows the last }",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfComment: "a comment has no end",
  InvalidEscapeCharacter: "a backslash in a text is written as \\\\",
  InvalidUnicode: "\\u needs four hexadecimal digits",
  InvalidCharacter: "a text has a line break or another control character",
  InvalidNumberFormat: NUMBERS,
};

function symbolMessage(source: string, { offset, length }: ParseError): string {
  const symbol = source.slice(offset, offset + Math.max(length, 1));
  const said = SYMBOLS.find(([pattern]) => pattern.test(symbol));
  return said?.[1] ?? "texts and names need double quotes";
}

/** What other languages and word processors write. */
const SYMBOLS: readonly [RegExp, string][] = [
  [/^[“”„«»‘’]/, 'quotes must be straight: "label"'],
  [/^#/, "a comment begins with //"],
  [/^=/, "a colon, not =, stands between a name and its value"],
  [/^;/, "a comma, not ;, stands between values"],
  [/^(true|yes|on)$/i, "it is written true, in small letters and without quotes"],
  [/^(false|no|off)$/i, "it is written false, in small letters and without quotes"],
  [/^([+.]|infinity|nan)/i, NUMBERS],
];

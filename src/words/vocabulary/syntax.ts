import type { ParseError } from "jsonc-parser";
import { type LazyText, lazyText } from "../i18n/lazy-text.ts";
import { loadJsonc } from "./places.ts";

const NUMBERS = lazyText("operator.vocabulary.mistake.syntax.number");

/** No vocabulary is deeper than nine; reading takes a call a level. */
const DEEPEST = 30;

/** Where a text is nested deeper than any vocabulary; undefined: nowhere. */
export function tooDeepAt(source: string): number | undefined {
  const scanner = loadJsonc().createScanner(source, true);
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

/** Explains the first syntax error of a text that is not JSON, and how to fix it. */
export function syntaxMessage(error: ParseError | undefined, source: string): LazyText {
  if (source.trim() === "") return lazyText("operator.vocabulary.mistake.empty");
  if (/^\s*</.test(source)) return lazyText("operator.vocabulary.mistake.page");
  if (!/^\s*([[{"]|\/[/*])/.test(source)) return lazyText("operator.vocabulary.mistake.not_begun");
  if (error === undefined) return lazyText("operator.vocabulary.mistake.not_json");
  const code = loadJsonc().printParseErrorCode(error.error);
  const reason = code === "InvalidSymbol" ? symbolMessage(source, error) : SYNTAX[code];
  return reason === undefined
    ? lazyText("operator.vocabulary.mistake.not_json")
    : lazyText("operator.vocabulary.mistake.not_json_because", { reason });
}

const SYNTAX: Readonly<Record<string, LazyText>> = {
  PropertyNameExpected: lazyText("operator.vocabulary.mistake.syntax.name"),
  ValueExpected: lazyText("operator.vocabulary.mistake.syntax.value"),
  ColonExpected: lazyText("operator.vocabulary.mistake.syntax.colon"),
  CommaExpected: lazyText("operator.vocabulary.mistake.syntax.comma"),
  CloseBraceExpected: lazyText("operator.vocabulary.mistake.syntax.brace"),
  CloseBracketExpected: lazyText("operator.vocabulary.mistake.syntax.bracket"),
  EndOfFileExpected: lazyText("operator.vocabulary.mistake.syntax.more"),
  UnexpectedEndOfString: lazyText("operator.vocabulary.mistake.syntax.quote"),
  UnexpectedEndOfComment: lazyText("operator.vocabulary.mistake.syntax.comment"),
  InvalidEscapeCharacter: lazyText("operator.vocabulary.mistake.syntax.backslash"),
  InvalidUnicode: lazyText("operator.vocabulary.mistake.syntax.unicode"),
  InvalidCharacter: lazyText("operator.vocabulary.mistake.syntax.control"),
  InvalidNumberFormat: NUMBERS,
};

function symbolMessage(source: string, { offset, length }: ParseError): LazyText {
  const symbol = source.slice(offset, offset + Math.max(length, 1));
  const found = SYMBOLS.find(([pattern]) => pattern.test(symbol));
  return found?.[1] ?? lazyText("operator.vocabulary.mistake.syntax.quotes");
}

/** What other languages and word processors write. */
const SYMBOLS: readonly [RegExp, LazyText][] = [
  [/^[“”„«»‘’]/, lazyText("operator.vocabulary.mistake.syntax.straight")],
  [/^#/, lazyText("operator.vocabulary.mistake.syntax.hash")],
  [/^=/, lazyText("operator.vocabulary.mistake.syntax.equals")],
  [/^;/, lazyText("operator.vocabulary.mistake.syntax.semicolon")],
  [/^(true|yes|on)$/i, lazyText("operator.vocabulary.mistake.syntax.truth", { word: "true" })],
  [/^(false|no|off)$/i, lazyText("operator.vocabulary.mistake.syntax.truth", { word: "false" })],
  [/^([+.]|infinity|nan)/i, NUMBERS],
];

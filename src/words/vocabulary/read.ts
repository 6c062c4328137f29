import { readFileSync, statSync } from "node:fs";
import type * as jsonc from "jsonc-parser";
import type { z } from "zod";
import { ConfigError } from "../../settings/sources.ts";
import { type LazyText, lazyText, parseZodMessage, translateText } from "../i18n/lazy-text.ts";
import { cutText } from "../text/cut.ts";
import { nearestName } from "./nearest-name.ts";
import { findLineAndColumn, loadJsonc, type Mistake, nodeAt } from "./places.ts";
import { type VocabularyFile, vocabularySchema } from "./schema.ts";
import { syntaxMessage, tooDeepAt } from "./syntax.ts";

export type ReadVocabulary =
  | { readonly vocabulary: VocabularyFile; readonly mistakes?: undefined }
  | { readonly vocabulary?: undefined; readonly mistakes: readonly [Mistake, ...Mistake[]] };

/** Parses a vocabulary: JSON that may have comments, and commas before a closing bracket. */
export function readVocabulary(text: string): ReadVocabulary {
  const source = text.replace(/^\ufeff/, "").normalize("NFC");
  const single = (offset: number, message: LazyText): ReadVocabulary => ({
    mistakes: [{ ...findLineAndColumn(source, offset), where: "", message }],
  });
  if (Buffer.byteLength(source) > MOST_MEGABYTES * 1024 * 1024)
    return single(0, lazyText("operator.vocabulary.mistake.too_large", { most: MOST_MEGABYTES }));
  // A comment may contain NUL, but such a file is not text.
  const nul = source.indexOf("\0");
  if (nul !== -1) return single(nul, lazyText("operator.vocabulary.mistake.control", { code: "U+0000" }));
  const deep = tooDeepAt(source);
  if (deep !== undefined) return single(deep, lazyText("operator.vocabulary.mistake.too_deep"));
  const errors: jsonc.ParseError[] = [];
  const root = loadJsonc().parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first || !root) return single(first?.offset ?? 0, syntaxMessage(first, source));
  const parsed = vocabularySchema.safeParse(readJson(root));
  const mistakes = [
    ...repeatedNames(root)
      .slice(0, EXPLAINED)
      .map(({ node, name }) => {
        const message = lazyText("operator.vocabulary.mistake.twice", { name: quote(name) });
        return { ...findLineAndColumn(source, node.offset), where: describePath(node), message };
      }),
    ...(parsed.error?.issues ?? []).slice(0, EXPLAINED).flatMap((issue) => explain(issue, root, source)),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
  const [one, ...others] = mistakes;
  if (one) return { mistakes: [one, ...others] };
  if (!parsed.success) throw parsed.error;
  return { vocabulary: parsed.data };
}

/** The maximum number of explained mistakes: a file of another format has one in each line. */
const EXPLAINED = 100;

/** A mistake in one line of English: `line 12: kinds.items: …`. */
export function mistakeText({ line, where, message }: Mistake): string {
  return `line ${line}: ${where === "" ? "" : `${printable(where)}: `}${translateText(message)}`;
}

/** Escapes marks in the file's names that would change the direction of a terminal's text. */
function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Turns an issue into mistakes: one for each unknown name, or one for other issues. */
function explain(issue: z.core.$ZodIssue, root: jsonc.Node, source: string): Mistake[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    const known = knownNames(path);
    return issue.keys.slice(0, EXPLAINED).map((key) => {
      const node = nodeAt(root, [...path, key]);
      return {
        ...findLineAndColumn(source, node.offset),
        where: path.join("."),
        message: unknownMessage(key, known),
      };
    });
  }
  const inner = innerIssues(issue);
  if (inner) return inner.flatMap((each) => explain(each, root, source));
  const node = nodeAt(root, path);
  const isMissing = loadJsonc().findNodeAtLocation(root, path) === undefined;
  const message = describeIssue(issue, node, isMissing);
  return [{ ...findLineAndColumn(source, node.offset), where: path.join("."), message }];
}

/** For a value with several allowed shapes, the issues of the shape that it has. */
function innerIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | undefined {
  if (issue.code !== "invalid_union") return undefined;
  const inside = issue.errors.find((issues) => issues.every(({ path }) => path.length > 0));
  return inside?.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

function describeIssue(issue: z.core.$ZodIssue, node: jsonc.Node, isMissing: boolean): LazyText | string {
  if (isMissing && (issue.code === "invalid_type" || issue.code === "invalid_union")) {
    const wanted =
      issue.code === "invalid_union"
        ? parseZodMessage(issue.message)
        : lazyText("operator.vocabulary.mistake.must_be", { type: typeName(issue.expected) });
    return lazyText("operator.vocabulary.mistake.missing", { wanted });
  }
  const value = node.type === "property" ? node.children?.[1] : node;
  const given = describe(value);
  switch (issue.code) {
    case "invalid_type": {
      const type = typeName(issue.expected);
      return lazyText("operator.vocabulary.mistake.wrong_type", {
        type,
        given,
        remedy: remedy(issue, value),
      });
    }
    case "invalid_value": {
      const values = issue.values.map(String);
      const perhaps = perhapsOne(String(value?.value), values);
      return lazyText("operator.vocabulary.mistake.one_of", { known: values.join(", "), given, perhaps });
    }
    case "invalid_key":
      return keyMessage(issue);
    case "too_small":
      return lazyText("operator.vocabulary.mistake.least", { least: String(issue.minimum), given });
    case "too_big":
      return typeof value?.value === "string"
        ? parseZodMessage(issue.message)
        : lazyText("operator.vocabulary.mistake.most", { most: String(issue.maximum), given });
    default:
      return parseZodMessage(issue.message);
  }
}

function keyMessage(issue: z.core.$ZodIssueInvalidKey): LazyText {
  const [inner] = issue.issues;
  const name = String(issue.path.at(-1));
  if (inner?.code === "invalid_value") return unknownMessage(name, inner.values.map(String));
  return lazyText("operator.vocabulary.mistake.key", {
    name: quote(name),
    reason: parseZodMessage(inner?.message ?? issue.message),
    perhaps: perhapsText(languageMeant(name)),
  });
}

const TYPE_NAMES: Readonly<Record<string, LazyText>> = {
  string: lazyText("operator.vocabulary.mistake.types.text"),
  number: lazyText("operator.vocabulary.mistake.types.number"),
  int: lazyText("operator.vocabulary.mistake.types.whole"),
  boolean: lazyText("operator.vocabulary.mistake.types.truth"),
  object: lazyText("operator.vocabulary.mistake.types.object"),
  record: lazyText("operator.vocabulary.mistake.types.object"),
};

function typeName(expected: string): LazyText | string {
  return TYPE_NAMES[expected] ?? expected;
}

/** Suggests what to write instead of a value of the wrong type. */
function remedy(
  { expected, path }: { expected: string; path: PropertyKey[] },
  given: jsonc.Node | undefined,
): LazyText | string {
  const text: unknown = given?.value;
  const wantsObject = expected === "object" || expected === "record";
  const isBare = !wantsObject && /^(-?\d+(\.\d+)?|true|false)$/.test(String(text));
  if (typeof text === "string" && isBare)
    return lazyText("operator.vocabulary.mistake.unquoted", { value: text });
  if (!wantsObject) return "";
  if (typeof text === "string" && path.length > 0) return `: { "label": ${quote(text)} }`;
  const example = EXAMPLES.get(String(path.at(-1)));
  return example === undefined ? "" : `: ${example}`;
}

const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["attributes", '{ "speed": { "label": "Speed" } }'],
  ["categories", '{ "Swords": { "label": "Blades" } }'],
  ["groups", '{ "damage": { "label": "Damage" } }'],
  ["kinds", '{ "items": { "attributes": { … } } }'],
  ["values", '{ "Rare": { "label": "Rare", "rank": 3 } }'],
]);

/** `pt-BR` for `pt_br`. */
function languageMeant(name: string): string | undefined {
  try {
    const [tag = ""] = Intl.getCanonicalLocales(name.replaceAll("_", "-"));
    return tag !== name && /^[a-z]{2,3}(-|$)/.test(tag) ? tag : undefined;
  } catch {
    return undefined;
  }
}

function unknownMessage(name: string, known: readonly string[]): LazyText {
  if (known.includes("label") && /^[a-z]{2}(-[A-Z]{2})?$/.test(name))
    return lazyText("operator.vocabulary.mistake.unknown_language", { name: quote(name) });
  const values = { name: quote(name), perhaps: perhapsOne(name, known), known: known.join(", ") };
  return known.length === 1
    ? lazyText("operator.vocabulary.mistake.unknown_single", values)
    : lazyText("operator.vocabulary.mistake.unknown", values);
}

function perhapsOne(name: string, known: readonly string[]): LazyText | string {
  return perhapsText(nearestName(name, known));
}

function perhapsText(meant: string | undefined): LazyText | string {
  return meant === undefined ? "" : lazyText("operator.vocabulary.mistake.perhaps", { name: quote(meant) });
}

/** The allowed names in an object at this path, read from the schema. */
function knownNames(path: readonly (string | number)[]): string[] {
  let schema: unknown = vocabularySchema;
  for (const step of path) schema = stepInto(schema, String(step));
  return Object.keys(readShape(schema) ?? {}).filter((name) => name !== "$schema");
}

interface Definition {
  readonly innerType?: unknown;
  readonly valueType?: unknown;
  readonly options?: readonly unknown[];
  readonly shape?: Record<string, unknown>;
  /** An object's schema for names that are not in its shape. */
  readonly catchall?: unknown;
  readonly keyType?: unknown;
  /** An enum's values. */
  readonly entries?: Record<string, unknown>;
}

function readDefinition(schema: unknown): Definition {
  return (schema as { def?: Definition } | undefined)?.def ?? {};
}

function stepInto(schema: unknown, step: string): unknown {
  const { catchall, innerType, valueType, options, shape } = readDefinition(schema);
  if (innerType) return stepInto(innerType, step);
  if (shape) return (Object.hasOwn(shape, step) && shape[step]) || catchall;
  if (valueType) return valueType;
  return options?.map((option) => stepInto(option, step)).find((found) => found !== undefined);
}

function readShape(schema: unknown): Record<string, unknown> | undefined {
  const { innerType, keyType, options, shape } = readDefinition(schema);
  if (innerType) return readShape(innerType);
  return (
    shape ?? readDefinition(keyType).entries ?? options?.map(readShape).find((found) => found !== undefined)
  );
}

function repeatedNames(node: jsonc.Node): { node: jsonc.Node; name: string }[] {
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((child) => {
    const name = node.type === "object" ? String(child.children?.[0]?.value) : undefined;
    const isRepeated = name !== undefined && seen.has(name);
    if (name !== undefined) seen.add(name);
    return [...(isRepeated ? [{ node: child, name }] : []), ...repeatedNames(child)];
  });
}

function describePath(node: jsonc.Node): string {
  const names: string[] = [];
  for (let at = node.parent; at; at = at.parent) {
    if (at.type === "property") names.unshift(String(at.children?.[0]?.value));
  }
  return names.join(".");
}

/** Converts a node to a value like JSON.parse does; `__proto__` is a name like any other. */
export function readJson(node: jsonc.Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(readJson);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children = [] }) => [
      String(children[0]?.value),
      children[1] && readJson(children[1]),
    ]),
  );
}

function describe(node: jsonc.Node | undefined): LazyText | string {
  if (node === undefined) return lazyText("operator.vocabulary.mistake.given.nothing");
  if (node.type === "object") return lazyText("operator.vocabulary.mistake.given.object");
  if (node.type === "array") return lazyText("operator.vocabulary.mistake.given.list");
  return typeof node.value === "string" ? quote(node.value) : String(node.value);
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, 60));
}

/** One of 10,000 values has 1 MB. */
const MOST_MEGABYTES = 5;

/**
 * The text of a vocabulary's file.
 * @throws ConfigError if it cannot be read, or is no text
 */
export function readVocabularyText(file: string): string {
  const bytes = readBytes(file);
  if (
    bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) ||
    bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]))
  )
    throw new ConfigError(`${file}, line 1: is UTF-16: save it as UTF-8`);
  const broken = brokenLine(bytes);
  if (broken !== undefined)
    throw new ConfigError(`${file}, line ${broken}: is not text in UTF-8: save it as UTF-8`);
  return bytes.toString("utf8");
}

function readBytes(file: string): Buffer {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new ConfigError(`${file} is a folder: name the file in it`);
    const megabytes = Math.ceil(found.size / 1024 / 1024);
    if (megabytes > MOST_MEGABYTES)
      throw new ConfigError(`${file} has ${megabytes} MB: a vocabulary may have ${MOST_MEGABYTES}`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      code === "ENOENT" ? `${file}: there is no such file` : `${file} cannot be read (${code})`,
    );
  }
}

/** The first line with invalid UTF-8 or a NUL, if any. */
function brokenLine(bytes: Buffer): number | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [start, line] = [0, 1];
  while (start <= bytes.length) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end === -1 ? bytes.length : end);
    try {
      if (decoder.decode(part).includes("\0")) return line;
    } catch {
      return line;
    }
    if (end === -1) return undefined;
    [start, line] = [end + 1, line + 1];
  }
  return undefined;
}

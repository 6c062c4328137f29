import type { LazyText, Translatable } from "../../words/i18n/lazy-text.ts";
import { isObject, isTooDeep } from "../../words/text/json.ts";
import { editText, type TextEdit, wordsAt, wordsIn } from "./edit-text.ts";
import {
  computeEdits,
  FIELDS,
  listInputs,
  type RowKind,
  readTyped,
  type Typed,
  type Words,
} from "./fields.ts";
import { findRowKind, type Part, rootOf } from "./parts.ts";

/** A user's input for one part of the file. */
interface TypedRow {
  /** The path below the root of the form's part. */
  readonly path: readonly string[];
  readonly kind: RowKind;
  /** The file's content when the form was opened. */
  readonly was: Words;
  readonly typed: Typed;
}

/** Rows by the text of their path. */
export type TypedRows = ReadonlyMap<string, TypedRow>;

/** Errors of inputs, by row. */
export type RowErrors = ReadonlyMap<string, Readonly<Record<string, Translatable>>>;

/** Reads the rows of a submitted form. Rows of other parts are left out. */
export function readRows(body: Readonly<Record<string, unknown>>, part: Part): TypedRows {
  const rows = new Map<string, TypedRow>();
  for (const [name, text] of Object.entries(body)) {
    const [, number] = /^(\d{1,6})\.path$/.exec(name) ?? [];
    const path = number === undefined ? undefined : parseJson(text);
    if (!isPath(path)) continue;
    const kind = findRowKind(part, path);
    if (!kind) continue;
    const was = parseJson(body[`${number}.was`]);
    const inputs = FIELDS[kind].flatMap(listInputs).flatMap((input): [string, string][] => {
      const typed = body[`${number}.${input}`];
      return typeof typed === "string" ? [[input, typed.trim()]] : [];
    });
    rows.set(JSON.stringify(path), {
      path,
      kind,
      was: isObject(was) ? was : {},
      typed: Object.fromEntries(inputs),
    });
  }
  return rows;
}

function isPath(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= 4 && value.every((step) => typeof step === "string");
}

function parseJson(text: unknown): unknown {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Computes the changes to the file, and the errors in the rows. */
export function editsOfRows(
  rows: TypedRows,
  part: Part,
  words: Words,
): { edits: TextEdit[]; errors: RowErrors } {
  const root = rootOf(part);
  const errors = new Map<string, Record<string, LazyText>>();
  const edits: TextEdit[] = [];
  for (const [key, { path, kind, typed }] of rows) {
    const whole = [...root, ...path];
    const found = computeEdits(kind, wordsAt(words, whole), typed);
    if (Object.keys(found.errors).length > 0) errors.set(key, found.errors);
    edits.push(...found.edits.map((edit) => ({ path: [...whole, ...edit.path], value: edit.value })));
  }
  return { edits: [...newGroups(edits, root, words), ...edits], errors };
}

/** Defines groups that attributes name but the file lacks; their label is their name. */
function newGroups(edits: readonly TextEdit[], root: readonly string[], words: Words): TextEdit[] {
  const named = edits
    .filter(({ path }) => path.at(-1) === "group" && path.at(-3) === "attributes")
    .map(({ value }) => value)
    .filter((value) => typeof value === "string");
  const known = new Set([root, []].flatMap((place) => Object.keys(wordsAt(words, [...place, "groups"]))));
  return [...new Set(named)]
    .filter((name) => !known.has(name))
    .map((name) => ({ path: [...root, "groups", name], value: { label: name } }));
}

/** Rebuilds the file's content when the form was opened, as far as the rows cover it. */
export function wordsBefore(rows: TypedRows, part: Part): Words {
  const root = rootOf(part);
  const edits = [...rows.values()].map(({ path, was }) => ({ path: [...root, ...path], value: was }));
  return wordsIn(editText("", edits)) ?? {};
}

/** The rows whose input differs from the file. */
export function changedRows(rows: TypedRows, part: Part, words: Words): TypedRows {
  const root = rootOf(part);
  const isChanged = ({ kind, path, typed }: TypedRow) => {
    const now = readTyped(kind, wordsAt(words, [...root, ...path]));
    return Object.entries(typed).some(([input, text]) => text !== now[input]);
  };
  return new Map([...rows].filter(([, row]) => isChanged(row)));
}

/**
 * Rebases the rows onto a file with another user's changes. Untouched inputs follow the file; `conflicts` are inputs
 * with two changes, with the other user's values.
 */
export function rebaseRows(
  rows: TypedRows,
  part: Part,
  words: Words,
): { rows: TypedRows; conflicts: ReadonlyMap<string, Typed> } {
  const root = rootOf(part);
  const conflicts = new Map<string, Record<string, string>>();
  const rebased = [...rows].map(([key, row]): [string, TypedRow] => {
    const now = wordsAt(words, [...root, ...row.path]);
    const [before, after] = [readTyped(row.kind, row.was), readTyped(row.kind, now)];
    const typed = { ...after };
    for (const [input, text] of Object.entries(row.typed)) {
      if (text === before[input]) continue;
      typed[input] = text;
      if (after[input] !== before[input] && after[input] !== text)
        conflicts.set(key, { ...conflicts.get(key), [input]: after[input] ?? "" });
    }
    return [key, { ...row, was: now, typed }];
  });
  return { rows: new Map(rebased), conflicts };
}

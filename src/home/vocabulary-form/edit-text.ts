import type { FormattingOptions } from "jsonc-parser";
import { isObject } from "../../words/text/json.ts";
import { loadJsonc } from "../../words/vocabulary/places.ts";
import { readJson } from "../../words/vocabulary/read.ts";
import type { Words } from "./fields.ts";

/** A change of a file: the value at a path from its root; undefined removes it. */
export interface TextEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Makes changes in the text of a vocabulary. The rest stays as written: comments, order, line breaks. */
export function editText(text: string, edits: readonly TextEdit[]): string {
  const formattingOptions = detectFormatting(text);
  let edited = text.trim() === "" ? "{}\n" : text;
  const set = (path: readonly string[], value: unknown) => {
    const { applyEdits, modify } = loadJsonc();
    edited = applyEdits(edited, modify(edited, [...path], value, { formattingOptions }));
  };
  for (const { path, value } of edits) {
    // The short form of a value, only its label, cannot hold a colour.
    const shortForm = path.length > 1 ? valueAt(edited, path.slice(0, -1)) : undefined;
    if (typeof shortForm === "string" && path.at(-2) !== "label")
      set(path.slice(0, -1), { label: shortForm });
    if (value !== undefined || valueAt(edited, path) !== undefined) set(path, value);
  }
  for (const { path } of edits) prune(path);
  return edited;

  /** Removes objects that have become empty, but not on the first two levels, which an operator may have laid out. */
  function prune(path: readonly string[]): void {
    for (let length = path.length - 1; length > 1; length--) {
      const value = valueAt(edited, path.slice(0, length));
      if (!isObject(value) || Object.keys(value).length > 0) continue;
      set(path.slice(0, length), undefined);
    }
  }
}

/** The value at a path of a vocabulary's text, or undefined. */
function valueAt(text: string, path: readonly string[]): unknown {
  const { findNodeAtLocation, parseTree } = loadJsonc();
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path]);
  return node && readJson(node);
}

/** A vocabulary's whole text, parsed; undefined if it is not an object. */
export function wordsIn(text: string): Words | undefined {
  const value = text.trim() === "" ? {} : valueAt(text, []);
  return isObject(value) ? value : undefined;
}

/** The content at a path; a value in its short form is returned in the long one. */
export function wordsAt(words: Words, path: readonly string[]): Words {
  let at: unknown = words;
  for (const step of path) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  if (typeof at === "string") return { label: at };
  return isObject(at) ? at : {};
}

/** The formatting of the existing file. */
function detectFormatting(text: string): FormattingOptions {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const isTabs = indent.startsWith("\t");
  return {
    insertSpaces: !isTabs,
    tabSize: isTabs ? 2 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** One difference between two vocabularies. */
export interface Difference {
  readonly where: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The differences between two vocabularies, with the path to each. */
export function listDifferences(
  before: unknown,
  after: unknown,
  where: readonly string[] = [],
): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const at = (words: Words, name: string) => (Object.hasOwn(words, name) ? words[name] : undefined);
    return names.flatMap((name) => listDifferences(at(before, name), at(after, name), [...where, name]));
  }
  const shown = (value: unknown) => (value === undefined ? undefined : renderJson(value));
  const [old, now] = [shown(before), shown(after)];
  if (old === now) return [];
  if (isObject(after) && before === undefined) return listDifferences({}, after, where);
  if (isObject(before) && after === undefined) return listDifferences(before, {}, where);
  return [{ where: where.join(" → "), before: old, after: now }];
}

function renderJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

import { createHash } from "node:crypto";
import type { AttributeWords } from "../../catalogue/attributes.ts";
import { fieldLabel } from "../../catalogue/entry/history.ts";
import { isLink } from "../../catalogue/linked-values.ts";
import { quote } from "../../records/values.ts";
import { parseAddress } from "../../servers/poller/adapters/names.ts";
import { type Read, readNumber } from "../../shop/operator/refusals.ts";
import type { FieldErrors } from "../../web/request/form.ts";
import { LANGUAGES, type Language } from "../../words/i18n/languages.ts";
import { lazyText, translateText } from "../../words/i18n/lazy-text.ts";
import { TEXTS } from "../../words/i18n/translate.ts";
import { isObject } from "../../words/text/json.ts";
import { textIn } from "../../words/vocabulary/text-in.ts";
import type { Attribute, KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import { definitionOf } from "../import/kinds.ts";
import type { CurrentRecord } from "../write/current-queries.ts";
import type { EditKind } from "./context.ts";

/** A field of the form of a record: a column, a text in a language, or an attribute. */
export interface RecordField {
  /** The name that the API has for it, such as `names.ru`. */
  readonly name: string;
  readonly path: readonly [column: string, key?: string];
  readonly attribute?: Attribute | undefined;
  /** The value is yes or no. */
  readonly isFlag?: boolean;
  /** The value of the record; undefined: it has none. */
  readonly value: unknown;
}

export type Typed = Readonly<Record<string, string>>;

/** What a form offers for a field, with labels. */
export type ColumnChoices = ReadonlyMap<string, readonly (readonly [value: string, label: string])[]>;

/** Attributes that the form can add to those that the record and the vocabulary have. */
export const NEW_ATTRIBUTES = 3;

const NUMBER_COLUMNS = ["popularity", "price", "position"];
const NUMBERS: readonly (string | undefined)[] = ["number", "share", "money", "duration"];

/** What a server has to have to be polled. */
const FIRST = ["name", "address", "adapter", "adapter_options.type"];

/** The attribute with the address to buy an item of the shop. */
export const BUY_KEY = "buy_url";

/**
 * Lists the fields of a record, or of a new one. First comes what every record of the kind has, then its attributes,
 * then those that others of its kind have (`usual`), and then those that a form sent.
 * @param flags the attributes that are yes or no in all other records
 * @param options the names of those for polling a server
 */
export function recordFields(
  kind: EditKind,
  record: CurrentRecord | undefined,
  vocabulary: KindVocabulary,
  {
    usual,
    flags,
    options,
    typed = {},
  }: Record<"usual" | "flags" | "options", readonly string[]> & { typed?: Typed | undefined },
): RecordField[] {
  const of = (column: string) => (isObject(record?.[column]) ? record[column] : {});
  const plain = (column: string) => ({
    name: column,
    path: [column] as const,
    value: record?.[column] ?? undefined,
  });
  const keyed = (column: string, keys: Iterable<string>) =>
    [...new Set(keys)].map((key): RecordField => {
      const value = of(column)[key];
      const field = { name: `${column}.${key}`, path: [column, key] as const, value };
      if (column !== "attributes") return field;
      const attribute = vocabulary.attribute(key);
      const isLikeOthers = value === undefined && attribute?.type === undefined && flags.includes(key);
      return { ...field, attribute, isFlag: typeof value === "boolean" || isLikeOthers };
    });
  const sent = Object.keys(typed).flatMap((name) => (name.startsWith("attributes.") ? [name.slice(11)] : []));
  const attributes = keyed("attributes", [...usual, ...Object.keys(of("attributes")), ...sent]);
  const orderOf = ({ attribute }: RecordField) => attribute?.order ?? Number.MAX_VALUE;
  const keys = new Map(
    Object.entries({ names: LANGUAGES, descriptions: LANGUAGES, adapter_options: options }),
  );
  const columns = Object.keys(definitionOf(kind).content).flatMap((column): RecordField[] => {
    if (column === "attributes" || column === "picture") return [];
    const known = keys.get(column);
    return known ? keyed(column, [...known, ...Object.keys(of(column))]) : [plain(column)];
  });
  const isFirst = ({ name }: RecordField) => FIRST.includes(name);
  return [
    ...columns.filter(isFirst),
    ...columns.filter((field) => !isFirst(field)),
    ...attributes.sort((a, b) => orderOf(a) - orderOf(b)),
  ];
}

/** A value as its input shows it: lists and objects as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value).replace(/\r\n?/g, "\n");
}

/** What was typed, with the line breaks of texts: forms send CR LF. Postgres stores no NUL, which no keyboard types. */
export function typedIn(body: unknown): Typed {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>).filter(
    (field): field is [string, string] => typeof field[1] === "string",
  );
  return Object.fromEntries(
    fields.map(([name, text]) => [name, text.replace(/\r\n?/g, "\n").replaceAll("\0", "").normalize("NFC")]),
  );
}

/**
 * The merge patch of what was changed in the form, and why fields cannot be read, by their names. Fields that it did not
 * send stay.
 */
export function readChanges(
  fields: readonly RecordField[],
  typed: Typed,
  language: Language,
): { readonly body: Record<string, unknown>; readonly errors: Record<string, string> } {
  const body: Record<string, unknown> = {};
  const errors: [name: string, text: string][] = [];
  const set = ([column, key]: RecordField["path"], value: unknown) => {
    if (key === undefined) body[column] = value;
    // Defined, not assigned: a key may be "__proto__".
    else body[column] = { ...(body[column] as object | undefined), ...Object.fromEntries([[key, value]]) };
  };
  for (const field of fields) {
    const text = typed[field.name];
    if (text === undefined || text.trim() === textOf(field.value).trim()) continue;
    const { value, error } = readValue(text.trim(), field) ?? { value: text };
    if (error) errors.push([field.name, translateText(error, language)]);
    else set(field.path, replaceMembers(field.value, value));
  }
  for (let at = 0; at < NEW_ATTRIBUTES; at++) {
    const [key = "", text = ""] = [typed[`new.${at}.key`]?.trim(), typed[`new.${at}.value`]];
    if (key !== "" && text.trim() !== "") set(["attributes", key], guessed(text.trim()));
  }
  return { body, errors: Object.fromEntries(errors) };
}

/**
 * The fields that are locked once a form is saved; undefined: it changes none. Somebody else may have changed a lock since
 * the form was opened: it stays as they left it.
 */
export function readLocked(
  fields: readonly RecordField[],
  typed: Typed,
  locked: readonly string[],
): readonly string[] | undefined {
  const opened = parsed(typed.locks ?? "");
  if (!Array.isArray(opened)) return undefined;
  const isOn = (name: string) => typed[`lock.${name}`] !== undefined;
  const turned = fields
    .map(({ name }) => name)
    .filter((name) => isOn(name) !== opened.includes(name) && isOn(name) !== locked.includes(name));
  if (turned.length === 0) return undefined;
  return [...locked.filter((name) => !turned.includes(name)), ...turned.filter(isOn)];
}

/** An object with null for the members that it no longer has: a merge patch would keep them. */
function replaceMembers(before: unknown, value: unknown): unknown {
  if (!isObject(before) || !isObject(value)) return value;
  return { ...Object.fromEntries(Object.keys(before).map((key) => [key, null])), ...value };
}

/** The value that a text stands for, by what was there and by the vocabulary; undefined: the text as it is. */
function readValue(text: string, { path, value, attribute, isFlag }: RecordField): Read<unknown> | undefined {
  const [column, key] = path;
  if (text === "") return { value: null };
  if (NUMBER_COLUMNS.includes(column)) return readNumber(text);
  if (column === "address") return readAddress(text);
  if (column === "adapter_options") return text.startsWith("{") ? readJson(text) : { value: guessed(text) };
  if (column !== "attributes") return undefined;
  if (key === BUY_KEY)
    return isLink(text) ? { value: text } : { error: lazyText("refusals.url", { value: quote(text) }) };
  if (isFlag) return readYesOrNo(text);
  const isNested = typeof value === "object" && value !== null;
  if (isNested || attribute?.type === "entries") return readJson(text);
  if (typeof value === "number" || NUMBERS.includes(attribute?.type)) return readNumber(text);
  if (typeof value === "string" || attribute?.type !== undefined) return undefined;
  return { value: guessed(text) };
}

/** Where a server is played; the poller could not reach anything else. */
export function readAddress(text: string): Read<string> {
  return parseAddress(text)
    ? { value: text }
    : { error: lazyText("refusals.address", { value: quote(text) }) };
}

function readYesOrNo(text: string): Read<boolean> {
  const isAnswer = text === "true" || text === "false";
  return isAnswer ? { value: text === "true" } : { error: lazyText("input.one_of_list") };
}

function readJson(text: string): Read<unknown> {
  const value = parsed(text);
  return value === undefined ? { error: lazyText("edit.error.json") } : { value };
}

/** A number or a word for yes or no where the text is nothing else. */
function guessed(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return /^-?\d/.test(text) && String(number) === text ? number : text;
}

/** The object or list that a text is as JSON; undefined: it is neither. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Describes the values that a form was opened with, so that a later conflict shows only what both users have changed. */
export function marksOf(fields: readonly RecordField[]): string {
  return JSON.stringify(Object.fromEntries(fields.map(({ name, value }) => [name, markOf(textOf(value))])));
}

function markOf(text: string): string {
  return createHash("sha256").update(text.trim()).digest("base64url").slice(0, 6);
}

/**
 * Puts what was typed beside a record that somebody else has changed meanwhile. A field that was not touched gets the
 * record's value. A field that both have changed is in `theirs`.
 */
export function mergeTyped(fields: readonly RecordField[], typed: Typed, marks: unknown) {
  const was = isObject(marks) ? marks : {};
  const merged: Record<string, string> = { ...typed };
  const theirs: Record<string, string> = {};
  for (const { name, value } of fields) {
    const [mine = "", now] = [typed[name], textOf(value)];
    if (mine.trim() === now.trim()) continue;
    if (typed[name] === undefined || markOf(mine) === was[name]) merged[name] = now;
    else if (markOf(now) !== was[name]) theirs[name] = now;
  }
  return { merged, theirs };
}

/** Errors of a write by the field that shows each; the others are about the whole form. */
export function placeErrors(
  errors: readonly { readonly param: string; readonly text: string }[],
  fields: readonly RecordField[],
): { readonly errors: FieldErrors; readonly rest: readonly string[] } {
  const placed: FieldErrors = {};
  const rest: string[] = [];
  for (const { param, text } of errors) {
    const field = fields.find(({ name }) => name === param) ?? fields.find(({ path }) => path[0] === param);
    if (field || param === "id") placed[field?.name ?? param] = text;
    else rest.push(`${param}: ${text}`);
  }
  return { errors: placed, rest };
}

/** A field as views/partials/field.ejs wants it, without its error. */
export function showField(
  { name, path: [column, key = ""], value, attribute, isFlag }: RecordField,
  typed: Typed | undefined,
  words: AttributeWords,
  columnChoices: ColumnChoices,
) {
  const { t } = words;
  const text = typed?.[name] ?? textOf(value);
  const isLong = ["description", "descriptions"].includes(column) || attribute?.type === "richText";
  const isJson = typeof value === "object" && value !== null;
  const isNumber = NUMBER_COLUMNS.includes(column) || NUMBERS.includes(attribute?.type);
  const unit = textIn(attribute?.unit, words.language) ?? attribute?.currency ?? attribute?.countedIn;
  const labels: Record<string, () => string> = {
    game: () => t("servers.column.game"),
    address: () => t("edit.field.address"),
    url: () => t("edit.field.url"),
    language: () => t("servers.filter.language"),
    position: () => t("operator.vocabulary.fields.order"),
    group_name: () => t("operator.vocabulary.fields.group"),
    adapter: () => t("edit.field.adapter"),
    price: () => t("donate.table.price"),
    currency: () => t("operator.vocabulary.fields.currency"),
    entity_kind: () => `${t("donate.item.entry")}: ${t("edit.column.kind")}`,
    entity_id: () => `${t("donate.item.entry")}: ID`,
    attributes: () => (key === BUY_KEY ? t("edit.field.buy") : fieldLabel(name, value, words)),
    adapter_options: () => {
      if (key === "type") return t("edit.field.protocol");
      return isOption(key) ? t(`edit.option.${key}`) : t("edit.field.adapter_option", { option: key });
    },
  };
  const hintOf = () => {
    // The name in the docs.
    if (column === "adapter_options" && key !== "type") return key;
    if (isJson) return t("edit.json_hint");
    if (column === "image") return t("edit.image_hint");
    return attribute?.kind === undefined ? unit : t("edit.entry_hint");
  };
  const isOptional = ["attributes", "adapter_options"].includes(column);
  const choices = isFlag ? [] : (columnChoices.get(name) ?? labelledValues(key, attribute, words));
  const options = isFlag ? yesOrNo(key, text, words) : column === "adapter" ? adapters(words) : undefined;
  return {
    id: `field-${name}`.replaceAll(/[^\w-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}`),
    name,
    label: labels[column]?.() ?? fieldLabel(name, value, words),
    value: text,
    choices,
    options,
    control: options ? "select" : isLong || isJson || text.includes("\n") ? "textarea" : "input",
    required: column === "name" || column === "currency",
    /** An attribute that this record does not have. */
    isExtra: text === "" && isOptional && ![BUY_KEY, "type"].includes(key),
    hint: hintOf(),
    attributes: {
      ...(isLong && { rows: 6 }),
      ...(isNumber && { inputmode: "decimal" }),
      ...((column === "names" || column === "descriptions") && { lang: key }),
      ...(column === "image" && { inputmode: "url" }),
    },
  };
}

function adapters({ t }: AttributeWords) {
  return (["none", "gamedig", "json"] as const).map((each) => [
    each === "none" ? "" : each,
    t(`edit.adapter.${each}`),
  ]);
}

/** The options of a yes or no, and the text that was sent instead of one. */
function yesOrNo(key: string, text: string, { t, vocabulary, language }: AttributeWords) {
  const options = [
    ["", "—"],
    ["true", vocabulary.valueLabel(key, true, language) ?? t("common.yes")],
    ["false", vocabulary.valueLabel(key, false, language) ?? t("common.no")],
  ];
  return options.some(([value]) => value === text) ? options : [...options, [text, text]];
}

function isOption(key: string): key is keyof typeof TEXTS.edit.option {
  return Object.hasOwn(TEXTS.edit.option, key);
}

function labelledValues(
  key: string,
  attribute: Attribute | undefined,
  { vocabulary, language }: AttributeWords,
) {
  return [...(attribute?.values.keys() ?? [])].map((value) => [
    value,
    vocabulary.valueLabel(key, value, language) ?? "",
  ]);
}

import type { ParseKeys } from "i18next";
import { type DecimalComma, type Figure, isExact, namesBy, readFigure } from "../../../records/figures.ts";
import { quote } from "../../../records/values.ts";
import { type LazyText, lazyText } from "../../../words/i18n/lazy-text.ts";
import type { AttributeWords } from "../../../words/vocabulary/attribute-schema.ts";

/** Facts about an attribute before its values are read. */
type KnownAttribute = Pick<AttributeWords, "type" | "unit"> & {
  readonly values: ReadonlyMap<string, unknown>;
};

export interface FigureOptions {
  /** The vocabulary's entry for an attribute. */
  attribute(key: string): KnownAttribute | undefined;
  /** Whether `x` and `y` are coordinates. */
  readonly isPlaced?: boolean;
  /** Asked with each value, as it is known once the file is read. */
  comma(): DecimalComma;
  /** Also reads numbers of attributes that are not in the vocabulary, if all of a file's values are numbers. */
  readonly guess?: boolean;
}

type NumberType = "number" | "share" | "money" | "duration" | "date";
const NUMBER_TYPES: readonly (string | undefined)[] = ["number", "share", "money", "duration", "date"];
const COORDINATES = new Set(["x", "y", "z", "pos_x", "pos_y", "pos_z"]);
/** Nobody sorts by one of more attributes. */
const COLUMNS_AT_MOST = 10_000;
/** As other times of imports: fewer digits are days without dashes. */
const EPOCH = /^\d{9,15}$/;

/** What the values of an attribute have been so far. */
class Column {
  readonly type: NumberType | undefined;
  readonly unit: string;
  figures = 0;
  others = 0;
  /** Why the texts are kept; null: no warning says why; undefined: they are numbers so far. */
  reason: ParseKeys | null | undefined;
  /** Whether the reason is worth a warning: ids with leading zeros are not. */
  isDoubtful = false;
  example = "";
  #decimals: number | undefined;
  #endsInZero = false;
  #isUneven = false;

  constructor(type: NumberType | undefined, unit = "") {
    this.type = type;
    this.unit = unit;
  }

  keep(text: string, reason: ParseKeys | null, isDoubtful: boolean): void {
    if (this.reason !== undefined && (this.isDoubtful || !isDoubtful)) return;
    [this.reason, this.isDoubtful, this.example] = [reason, isDoubtful, text];
  }

  /** "1.9" and "1.10" are two versions, "1.90" and "1.10" two prices. */
  addDecimals(text: string, { decimals }: Figure): void {
    if (decimals === 0 || !/^\d{1,2}\.\d+$/.test(text)) return;
    this.#isUneven ||= (this.#decimals ?? decimals) !== decimals;
    this.#decimals = decimals;
    this.#endsInZero ||= text.endsWith("0");
    if (this.#isUneven && this.#endsInZero) this.keep(text, "refusals.is_version", true);
  }
}

/**
 * Finds the attributes whose values are numbers written as text, as in every CSV. A number is only one where each value of
 * the file is: "007" and "123" are codes. Where the vocabulary says that an attribute is a number, each value counts by itself.
 */
export function createFigureColumns(options: FigureOptions) {
  const columns = new Map<string, Column | undefined>();

  function columnOf(key: string): Column | undefined {
    if (columns.has(key) || columns.size >= COLUMNS_AT_MOST) return columns.get(key);
    const column = makeColumn(key, options);
    columns.set(key, column);
    return column;
  }

  /** The attributes with texts turned into numbers, and those texts that a later record may turn back. */
  function read(attributes: Record<string, unknown>, labelled: ReadonlySet<string>) {
    let changed: Record<string, unknown> | undefined;
    const texts: [string, string][] = [];
    for (const key of Object.keys(attributes)) {
      const value = attributes[key];
      const column = typeof value === "string" || typeof value === "number" ? columnOf(key) : undefined;
      if (!column) continue;
      if (labelled.has(key)) column.keep(String(value), null, false);
      if (typeof value === "number") column.figures += 1;
      if (typeof value !== "string") continue;
      const number = numberOf(column, value, options.comma());
      if (number === undefined) continue;
      changed ??= { ...attributes };
      // Not by assignment, as a key may be "__proto__".
      Object.defineProperty(changed, key, { value: number, enumerable: true });
      if (column.type === undefined) texts.push([key, value]);
    }
    return {
      attributes: changed ?? attributes,
      texts: texts.length > 0 ? Object.fromEntries(texts) : undefined,
    };
  }

  /** Attributes that turned out to hold more than numbers: their texts are to be kept. */
  function mixed(): string[] {
    return [...columns].flatMap(([key, column]) =>
      column && column.type === undefined && (column.reason !== undefined || column.figures < column.others)
        ? [key]
        : [],
    );
  }

  return {
    read,
    mixed,
    warnings: () => [...columns].flatMap(([key, column]) => (column ? warningOf(key, column) : [])),
  };
}

function makeColumn(key: string, { attribute, isPlaced, guess }: FigureOptions): Column | undefined {
  const { type, unit, values } = attribute(key) ?? {};
  if (NUMBER_TYPES.includes(type)) return new Column(type as NumberType, JSON.stringify(unit ?? ""));
  if (isPlaced && COORDINATES.has(key) && type === undefined) return new Column("number");
  const isPlain = type === undefined && !values?.size && key !== "aliases" && !namesBy(key);
  return guess && isPlain ? new Column(undefined) : undefined;
}

/** The number in a text, if it is one of its attribute; undefined: it stays text. */
function numberOf(column: Column, text: string, comma: DecimalComma): number | undefined {
  const figure = readFigure(text, comma);
  if (column.type !== undefined) {
    const number =
      typeof figure === "object" ? typedNumber(column.type, column.unit, text, figure) : undefined;
    if (number === undefined && column.type !== "date") {
      column.others += 1;
      column.keep(text, typeof figure === "string" ? DOUBTS[figure] : null, true);
    }
    return number;
  }
  if (figure === undefined) {
    if (/\d/.test(text)) column.keep(text, "refusals.not_number", false);
    column.others += 1;
    return undefined;
  }
  column.figures += 1;
  if (typeof figure === "string") column.keep(text, DOUBTS[figure], true);
  else if (!isExact(figure) || /^[-+]?0\d/.test(text.trim())) column.keep(text, null, false);
  else if (figure.isOdd) column.keep(text, "refusals.rewritten", true);
  else column.addDecimals(text.trim(), figure);
  return column.reason === undefined ? Number((figure as Figure).text) : undefined;
}

const DOUBTS = {
  comma: "refusals.decimal_comma",
  ambiguous: "refusals.ambiguous",
} as const;

function typedNumber(type: NumberType, unit: string, text: string, figure: Figure): number | undefined {
  if (type === "date") return EPOCH.test(text.trim()) ? Number(text) : undefined;
  if (!isExact(figure)) return undefined;
  if (!figure.isPercent) return Number(figure.text);
  // Divided as text: 0.07 * 100 is not 7.
  if (type === "share") return Number(`${figure.text}e-2`);
  return type === "number" && unit.includes("%") ? Number(figure.text) : undefined;
}

function warningOf(key: string, column: Column): LazyText[] {
  const { type, figures, others, reason, isDoubtful, example } = column;
  if (reason === undefined) return [];
  const value = lazyText("refusals.field", { field: `attributes.${key}`, reason: quote(example) });
  if (type !== undefined) {
    const more = others - 1;
    const sentence =
      more === 0
        ? lazyText("refusals.kept_text", { value })
        : lazyText("refusals.kept_texts", { value, more });
    return [reason ? lazyText("refusals.because", { sentence, reason: lazyText(reason) }) : sentence];
  }
  const isOneOfMany = reason === "refusals.not_number" && figures > others;
  if (reason === null || !(isDoubtful || isOneOfMany)) return [];
  const types = { number: '"type": "number"', text: '"text"' };
  return [lazyText("refusals.all_text", { value, reason: lazyText(reason), ...types })];
}

import { inOrder } from "./attribute-order.ts";
import { type AttributeWords, attributeLabel, attributeLanguage, attributeText } from "./attributes.ts";

/** One line of a comparison. */
export interface CompareRow {
  label: string;
  /** How deep the line is inside nested attributes, from 0. */
  level: number;
  /** Opens the lines below it, which are one level deeper, and has no cells of its own. */
  isGroup: boolean;
  /** One for each entry, in their order. */
  cells: { text: string; isNumber: boolean; isMissing: boolean; lang: string | undefined }[];
  /** The entries are not alike in this; of a group: in anything of it. */
  differs: boolean;
}

type Attributes = Record<string, unknown>;

/** What cells are written with; `textLangs` are the languages of the entries' own texts where they are known, in order. */
type CompareWords = AttributeWords & { textLangs?: readonly (string | undefined)[] };

/** Past this depth, what is nested becomes one line of text. */
const DEEPEST = 2;

/**
 * The attributes of several entries side by side, in the order that an entry's page has them in; what an entry does not
 * have is a dash, and not like what another one has.
 */
export function compareAttributes(entries: Attributes[], words: CompareWords, level = 0): CompareRow[] {
  const known = Object.fromEntries(
    [...entries].reverse().flatMap((attributes) => Object.entries(attributes)),
  );
  return inOrder(known).flatMap(([key]) => {
    const values = entries.map((attributes) => (Object.hasOwn(attributes, key) ? attributes[key] : null));
    return compareValues(key, values, words, level);
  });
}

/** One attribute of several entries: a line, or a group of lines where it holds others in any of them. */
export function compareValues(key: string, values: unknown[], words: CompareWords, level = 0): CompareRow[] {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (level < DEEPEST && present.length > 0 && present.every(isGroup)) {
    const rows = compareAttributes(values.map(toAttributes), words, level + 1);
    const differs = rows.some((row) => row.differs);
    return [{ label: attributeLabel(key, words), level, isGroup: true, cells: [], differs }, ...rows];
  }
  const cells = values.map((value, place) => ({
    text: attributeText(key, value ?? null, words),
    isNumber: typeof value === "number",
    isMissing: isNothing(value),
    lang: attributeLanguage(key, value, words.textLangs?.[place]),
  }));
  // The name of figures is without their unit, which stands beside them.
  const figure = present.find((value) => typeof value === "number") ?? present[0];
  const differs = new Set(values.map(canonical)).size > 1;
  return [{ label: attributeLabel(key, words, figure), level, isGroup: false, cells, differs }];
}

/** Only the lines that differ, with the groups that they are in. */
export function onlyDifferences(rows: CompareRow[]): CompareRow[] {
  return rows.filter(({ differs }) => differs);
}

/** True for an object, and for a list with objects in it; a list of plain values is one line. */
function isGroup(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!Array.isArray(value)) return Object.keys(value).length > 0;
  return value.some((part) => typeof part === "object" && part !== null);
}

/** The parts of a group by name; those of a list by their number, from 1. */
function toAttributes(value: unknown): Attributes {
  if (Array.isArray(value)) return Object.fromEntries(value.map((part, index) => [String(index + 1), part]));
  return typeof value === "object" && value !== null ? (value as Attributes) : {};
}

/** What reads as a dash is nothing, in whichever way it is told. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The same text for the same value: the order of an object's keys says nothing. */
function canonical(value: unknown): string {
  if (isNothing(value)) return "";
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

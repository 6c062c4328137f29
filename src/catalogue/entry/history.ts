import { isDeepStrictEqual } from "node:util";
import type * as diff from "diff";
import { textLanguage } from "../../records/text-language.ts";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { type AttributeWords, attributeLabel, attributeLanguage, attributeText } from "../attributes.ts";
import { languageWord } from "./entry.ts";
import type { Entry, KeptRevision } from "./queries.ts";

/** The columns whose change is a revision, in the order shown. */
const FIELDS = [
  "name",
  "names",
  "category",
  "description",
  "descriptions",
  "image",
  "picture",
  "popularity",
  "attributes",
] as const;
type Field = (typeof FIELDS)[number];

/** One changed value; undefined and null mean no value before or after. */
interface Change {
  field: Field;
  /** The locale or attribute, for the fields that hold several values. */
  key?: string;
  before: unknown;
  after: unknown;
}

interface Revision {
  revision: number;
  changedAt: Date;
  changes: Change[];
}

const loadDiff = lazyPackage<typeof diff>("diff");

interface ProsePart {
  type: "same" | "removed" | "added";
  text: string;
}

/** Words shown on each side of a change, counted with the white space between them. */
const CONTEXT = 2 * 8;

/** One line of a change: what changed, and how. A missing side is undefined. */
export interface ChangeLine {
  label: string;
  before: string | undefined;
  after: string | undefined;
  /** Language of the sides, where it is known to be one of their own. */
  lang?: string | undefined;
  /** A long text's change in its own words; the two sides are then too long to be shown. */
  prose?: ProsePart[];
  /** A note instead of values that are not worth showing. */
  note?: string;
}

/** What a history is written with. */
export type HistoryWords = Words;

type Words = AttributeWords & {
  textLang?: string | undefined;
  /** A category for readers of the language. */
  categoryName(category: string): string;
  /** Shows attributes that the vocabulary hides, too. */
  isForEditors?: boolean;
};

/** The history of a record in words, the newest first; it is whole if it goes back to when the record was added. */
export function describeHistory(entry: Entry, kept: readonly KeptRevision[], words: Words) {
  const isShown = ({ field, key = "" }: Change) =>
    field !== "attributes" || words.isForEditors || !words.vocabulary.isHidden(key);
  const changes = replayRevisions(entry, kept)
    .map(({ revision, changes, changedAt }) => ({
      revision,
      changedAt,
      lines: changes
        .filter(isShown)
        .map((change) => describeChange(change, { ...words, textLang: textLanguage(entry) })),
    }))
    .filter(({ lines }) => lines.length > 0);
  const oldest = kept.at(-1)?.revision ?? entry.revision + 1;
  return { changes, isWhole: oldest === 2 };
}

function describeChange(change: Change, words: Words): ChangeLine {
  const label = fieldLabel(`${change.field}.${change.key ?? ""}`, change.after ?? change.before, words);
  const [before, after] = [renderText(change, change.before, words), renderText(change, change.after, words)];
  if (change.field === "image" || change.field === "picture")
    return { label, ...withoutAddresses(before, after, words) };
  const lang = nameLanguage(change, words);
  if (before === undefined || after === undefined) return { label, before, after, lang };
  if (isCut(before) && before === after)
    return { label, before: undefined, after: undefined, note: words.t("catalogue.history.beyond") };
  if (change.field !== "description" && change.field !== "descriptions")
    return { label, before, after, lang };
  return { label, before, after, lang, prose: compareProse(before, after) };
}

/** Names say their language themselves, and figures have none. */
function nameLanguage({ field, key = "", before, after }: Change, words: Words) {
  if (field === "attributes") return attributeLanguage(key, after ?? before, words);
  if (field === "descriptions") return key;
  if (field === "description") return words.textLang;
  const isWritten = field === "category" && words.categoryName(String(after ?? before)) === (after ?? before);
  return isWritten ? words.textLang : undefined;
}

/** What a field is called: `name`, or a part of one that holds several values, such as `names.ru`. */
export function fieldLabel(name: string, value: unknown, words: AttributeWords): string {
  const [field = name, ...parts] = name.split(".");
  const key = parts.join(".");
  if (field === "attributes") return attributeLabel(key, words, value);
  const language = languageWord(key, words.language);
  if (field === "names") return words.t("catalogue.history.fields.name_in", { language });
  if (field === "descriptions") return words.t("catalogue.history.fields.description_in", { language });
  return words.t(
    `catalogue.history.fields.${field as Exclude<Field, "names" | "descriptions" | "attributes">}`,
  );
}

/** The text of a value, or undefined. Values longer than the stored old ones are cut. */
function renderText({ field, key = "" }: Change, value: unknown, words: Words): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = renderPlainText(field, key, value, words);
  return isCut(text) ? `${[...text].slice(0, LONGEST).join("")}…` : text;
}

function renderPlainText(field: Change["field"], key: string, value: unknown, words: Words): string {
  if (field === "attributes") return attributeText(key, value, words);
  if (field === "category" && typeof value === "string") return words.categoryName(value);
  return words.format.attribute(value);
}

/** Whether a text is longer than what is kept; what was cut still is, by its ellipsis. */
function isCut(text: string): boolean {
  return [...text].length > LONGEST;
}

/** Characters that the database keeps of an old value; longer ones end in an ellipsis there. */
const LONGEST = 2000;

/** The address of a picture means nothing to people. */
function withoutAddresses(before: string | undefined, after: string | undefined, { t }: Words) {
  const sides = { before: undefined, after: undefined };
  if (before === undefined) return { ...sides, note: t("catalogue.history.appeared") };
  return { ...sides, note: t(after === undefined ? "catalogue.history.gone" : "catalogue.history.replaced") };
}

/** What differs between two states of a record. */
export function describeDifference(before: Entry, after: Entry, words: Words): ChangeLine[] {
  const replaced = FIELDS.flatMap((field): [Field, unknown][] => {
    if (isDeepStrictEqual(before[field], after[field])) return [];
    if (!isKeyed(field)) return [[field, before[field]]];
    const [old, now] = [toEntries(before[field]), toEntries(after[field])];
    const keys = [...new Set([...old.keys(), ...now.keys()])].filter(
      (key) => !isDeepStrictEqual(old.get(key), now.get(key)),
    );
    return [[field, Object.fromEntries(keys.map((key) => [key, old.get(key) ?? null]))]];
  });
  const revision = {
    revision: after.revision,
    changed_at: after.updated_at,
    before: Object.fromEntries(replaced),
  };
  return describeHistory(after, [revision], words).changes.flatMap(({ lines }) => lines);
}

/** The revisions of a record, newest first. A value's new state is what the next revision replaced, or the record's own. */
export function replayRevisions(entry: Pick<Entry, Field>, kept: readonly KeptRevision[]): Revision[] {
  let state: Record<Field, unknown> = entry;
  return kept.map(({ revision, changed_at, before }) => {
    const changes = FIELDS.filter((field) => Object.hasOwn(before, field)).flatMap((field) =>
      listChanges(field, before[field], state[field]),
    );
    state = goBack(state, before);
    return { revision, changedAt: changed_at, changes: withoutRepeats(changes) };
  });
}

function listChanges(field: Field, before: unknown, after: unknown): Change[] {
  if (!isKeyed(field)) return [{ field, before, after }];
  const [old, now] = [toEntries(before), toEntries(after)];
  return [...old.keys()].sort().map((key) => ({ field, key, before: old.get(key), after: now.get(key) }));
}

function goBack(state: Record<Field, unknown>, before: KeptRevision["before"]): Record<Field, unknown> {
  const earlier = { ...state, ...before };
  for (const field of FIELDS.filter(isKeyed)) {
    earlier[field] = Object.fromEntries([...toEntries(state[field]), ...toEntries(before[field])]);
  }
  return earlier;
}

/** The field of the main text, by that of its translations. */
const MAIN: Partial<Record<Field, Field>> = { names: "name", descriptions: "description" };

/** Leaves out a translation that changed exactly as the main text did. */
function withoutRepeats(changes: Change[]): Change[] {
  return changes.filter(({ field, before, after }) => {
    const main = changes.find((change) => change.field === MAIN[field]);
    return main === undefined || before !== main.before || after !== main.after;
  });
}

function isKeyed(field: Field): boolean {
  return field === "names" || field === "descriptions" || field === "attributes";
}

function toEntries(value: unknown): Map<string, unknown> {
  return new Map(Object.entries(value ?? {}));
}

/** What changed between two texts in whole words, with some words around each change. Very different texts are one change. */
export function compareProse(before: string, after: string): ProsePart[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  const changes = loadDiff().diffArrays(old, now, { maxEditLength: CONTEXT * 4 }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return changes.map(({ value, removed, added }, index) => {
    if (removed || added) return { type: removed ? "removed" : "added", text: value.join("") };
    const text = changes.length === 1 ? before : shorten(value, index === 0, index === changes.length - 1);
    return { type: "same", text };
  });
}

/** Words and the white space between them; joined they are the text again. */
function splitWords(text: string): string[] {
  return text.match(/\S+|\s+/g) ?? [];
}

/** The words beside a change; the first piece has no change before it, the last none after it. */
function shorten(words: string[], isFirst: boolean, isLast: boolean): string {
  const ending = isFirst ? [] : words.slice(0, CONTEXT);
  const beginning = isLast ? [] : words.slice(-CONTEXT);
  if (words.length <= ending.length + beginning.length) return words.join("");
  return `${ending.join("").trimEnd()}${isFirst ? "" : " "}…${isLast ? "" : " "}${beginning.join("").trimStart()}`;
}

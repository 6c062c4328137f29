import { textLanguage } from "../records/text-language.ts";
import { type AttributeWords, attributeLabel, attributeLanguage, attributeText } from "./attributes.ts";
import { languageWord } from "./entry.ts";
import type { Entry, KeptRevision } from "./entry-queries.ts";
import { compareProse, type ProsePart } from "./prose-changes.ts";
import { type Change, replayRevisions } from "./revisions.ts";

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

export interface History {
  /** The newest first. */
  changes: { revision: number; changedAt: Date; lines: ChangeLine[] }[];
  /** Whether they go back to when the record was added. */
  isWhole: boolean;
}

/** What a history is written with. */
export type HistoryWords = Words;

type Words = AttributeWords & {
  textLang?: string | undefined;
  /** A category for readers of the language. */
  categoryName(category: string): string;
};

/** The history of a record in words. */
export function describeHistory(entry: Entry, kept: readonly KeptRevision[], words: Words): History {
  const changes = replayRevisions(entry, kept)
    .map(({ revision, changes, changedAt }) => ({
      revision,
      changedAt,
      lines: changes.map((change) => describeChange(change, { ...words, textLang: textLanguage(entry) })),
    }))
    .filter(({ lines }) => lines.length > 0);
  const oldest = kept.at(-1)?.revision ?? entry.revision + 1;
  return { changes, isWhole: oldest === 2 };
}

function describeChange(change: Change, words: Words): ChangeLine {
  const label = labelOf(change, words);
  const [before, after] = [textOf(change, change.before, words), textOf(change, change.after, words)];
  if (change.field === "image" || change.field === "picture")
    return { label, ...withoutAddresses(before, after, words) };
  const lang = languageOf(change, words);
  if (before === undefined || after === undefined) return { label, before, after, lang };
  if (isCut(before) && before === after)
    return { label, before: undefined, after: undefined, note: words.t("catalogue.history.beyond") };
  if (change.field !== "description" && change.field !== "descriptions")
    return { label, before, after, lang };
  return { label, before, after, lang, prose: compareProse(before, after) };
}

/** Names say their language themselves, and figures have none. */
function languageOf({ field, key = "", before, after }: Change, words: Words) {
  if (field === "attributes") return attributeLanguage(key, after ?? before, words);
  if (field === "descriptions") return key;
  if (field === "description") return words.textLang;
  const isWritten = field === "category" && words.categoryName(String(after ?? before)) === (after ?? before);
  return isWritten ? words.textLang : undefined;
}

function labelOf({ field, key = "", before, after }: Change, words: Words): string {
  if (field === "attributes") return attributeLabel(key, words, after ?? before);
  if (field === "names" || field === "descriptions") {
    const language = languageWord(key, words.language);
    return field === "names"
      ? words.t("catalogue.history.fields.name_in", { language })
      : words.t("catalogue.history.fields.description_in", { language });
  }
  return words.t(`catalogue.history.fields.${field}`);
}

/** The text of a value, or undefined. Values longer than the stored old ones are cut. */
function textOf({ field, key = "" }: Change, value: unknown, words: Words): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = plainTextOf(field, key, value, words);
  return isCut(text) ? `${[...text].slice(0, LONGEST).join("")}…` : text;
}

function plainTextOf(field: Change["field"], key: string, value: unknown, words: Words): string {
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

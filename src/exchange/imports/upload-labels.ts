import { attributeHeading, attributeLabel } from "../../catalogue/attributes.ts";
import { formatFor } from "../../web/request/format.ts";
import { LANGUAGES, type Language, languageName } from "../../words/i18n/languages.ts";
import type { LazyText, Translatable } from "../../words/i18n/lazy-text.ts";
import { TEXTS, translate } from "../../words/i18n/translate.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { fieldsOf, type ImportKind } from "../import/kinds.ts";
import { isLanguage } from "../import/records/languages.ts";
import { keyedField } from "../import/records/mapping.ts";
import { type Headings, isTarget, listAxes, type Sample } from "./upload-mapping.ts";

/** Objects whose parts the form offers one by one. */
const WHOLE = ["names", "categories", "descriptions", "titles", "attributes"];
const BY_LANGUAGE = ["name", "category", "description", "title"];

/** The choices of what a field becomes, with what it is now. */
export function listTargets(kind: ImportKind, field: string, now: string, language: Language) {
  const attribute = keyedField(kind, "attributes") ? [`attributes.${field}`] : [];
  const all = ["", ...offeredTargets(kind), ...listAxes(kind, field).toSorted(), ...attribute, now];
  return [...new Set(all)].map((target) => [target, targetLabel(target, language)] as const);
}

function offeredTargets(kind: ImportKind): string[] {
  const parts = BY_LANGUAGE.flatMap((each) => LANGUAGES.map((code) => `${each}.${code}`));
  return [
    ...fieldsOf(kind).filter((field) => !WHOLE.includes(field)),
    ...parts.filter((target) => isTarget(kind, target)),
  ];
}

/** What a field of ours, or a part of one, is called; blank: the field of the file is left out. */
function targetLabel(target: string, language: Language): string {
  const t = translate(language);
  if (target === "") return t("imports.upload.leave_out");
  const [, field = target, key] = /^(\w+)\.(.+)$/.exec(target) ?? [];
  if (field === "attributes" && key) return t("imports.upload.attribute", { name: key });
  const label = hasLabel(field) ? t(`imports.fields.${field}`) : field;
  if (key === undefined) return label;
  return `${label}: ${isLanguage(key) ? languageName(key, language) : key}`;
}

/** A line about the file with the labels of its fields. */
export function withLabels(line: Translatable, language: Language): Translatable {
  return typeof line === "object" && "key" in line ? labelled(line, language) : line;
}

function labelled({ key, values }: LazyText, language: Language): LazyText {
  const { field, problems } = values;
  const isField = key === "refusals.field" && typeof field === "string";
  const label = (each: string | LazyText) => (typeof each === "string" ? each : labelled(each, language));
  return {
    key,
    values: {
      ...values,
      ...(isField && { field: targetLabel(field, language) }),
      ...(Array.isArray(problems) && { problems: problems.map(label) }),
    },
  };
}

function hasLabel(field: string): field is keyof typeof TEXTS.imports.fields {
  return Object.hasOwn(TEXTS.imports.fields, field);
}

/**
 * What the columns of a file may be called: the labels of fields, else of attributes, in each language of the site.
 * @param keys the attributes of the kind
 */
export function listHeadings(
  kind: ImportKind,
  sample: Sample,
  { keys, vocabulary: all }: { readonly keys: readonly string[]; readonly vocabulary: Vocabulary },
): Headings {
  const vocabulary = isCatalogueKind(kind) ? all.of(kind) : all.shared;
  const attributes = LANGUAGES.flatMap((language) => {
    const words = { t: translate(language), language, vocabulary, format: formatFor(language) };
    return keys.flatMap((key) =>
      [attributeLabel(key, words), attributeHeading(key, words)].map((label) => [label, `attributes.${key}`]),
    );
  });
  const fields = LANGUAGES.flatMap((language) =>
    offeredTargets(kind).map((target) => [targetLabel(target, language), target]),
  );
  const lists = LANGUAGES.flatMap((language) => listColumns(sample, language, all));
  return new Map(
    [...attributes, ...fields, ...lists].map(([label = "", target = ""]) => [label.toLowerCase(), target]),
  );
}

/** The columns of a list's own file, if this is one: its first name and its category may be translations. */
function listColumns(sample: Sample, language: Language, vocabulary: Vocabulary): [string, string][] {
  const t = translate(language);
  const original = t("catalogue.list.file_columns.other_name");
  const noData = [t("catalogue.list.columns.changed"), t("catalogue.list.file_columns.address")];
  if (![original, ...noData].every((heading) => sample.some(({ field }) => field === heading))) return [];
  const isLabelled = vocabulary
    .categories()
    .some((category) => ![undefined, category].includes(vocabulary.categoryLabel(category, language)));
  const leftOut = [t("catalogue.list.columns.name"), ...noData];
  if (isLabelled) leftOut.push(t("catalogue.list.columns.category"));
  return [[original, "name"], ...leftOut.map((heading): [string, string] => [heading, ""])];
}

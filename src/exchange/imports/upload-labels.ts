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
  const label = isField(field) ? t(`imports.fields.${field}`) : field;
  if (key === undefined) return label;
  return `${label}: ${isLanguage(key) ? languageName(key, language) : key}`;
}

/** A line about the file with the labels of its fields. */
export function withLabels(line: Translatable, language: Language): Translatable {
  return typeof line === "object" && "key" in line ? labelled(line, language) : line;
}

function labelled({ key, values }: LazyText, language: Language): LazyText {
  const { field, problems } = values;
  const label = (each: string | LazyText) => (typeof each === "string" ? each : labelled(each, language));
  return {
    key,
    values: {
      ...values,
      ...(typeof field === "string" && { field: targetLabel(field, language) }),
      ...(Array.isArray(problems) && { problems: problems.map(label) }),
    },
  };
}

function isField(field: string): field is keyof typeof TEXTS.imports.fields {
  return Object.hasOwn(TEXTS.imports.fields, field);
}

/**
 * What the columns of a file may be called: the labels of fields and attributes in each language of the site. The last two
 * columns of a list's own file are no data. Its first name and its category may be translations.
 * @param keys the attributes of the kind
 */
export function listHeadings(
  kind: ImportKind,
  sample: Sample,
  { keys, vocabulary: all }: { readonly keys: readonly string[]; readonly vocabulary: Vocabulary },
): Headings {
  const vocabulary = isCatalogueKind(kind) ? all.of(kind) : all.shared;
  const headings = new Map<string, string>();
  const fields = sample.map(({ field }) => field.toLowerCase());
  for (const language of LANGUAGES) {
    const t = translate(language);
    const words = { t, language, vocabulary, format: formatFor(language) };
    const add = (heading: string, target: string) => headings.set(heading.toLowerCase(), target);
    for (const key of keys) {
      add(attributeLabel(key, words), `attributes.${key}`);
      add(attributeHeading(key, words), `attributes.${key}`);
    }
    for (const target of offeredTargets(kind)) add(targetLabel(target, language), target);
    const original = t("catalogue.list.file_columns.other_name");
    const others = [t("catalogue.list.columns.changed"), t("catalogue.list.file_columns.address")];
    if (![original, ...others].every((heading) => fields.includes(heading.toLowerCase()))) continue;
    for (const heading of [t("catalogue.list.columns.name"), ...others]) add(heading, "");
    const isLabelled = (category: string) =>
      ![undefined, category].includes(all.categoryLabel(category, language));
    if (all.categories().some(isLabelled)) add(t("catalogue.list.columns.category"), "");
    add(original, "name");
  }
  return headings;
}

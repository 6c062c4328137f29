import { FALLBACK, LANGUAGES } from "../../words/i18n/languages.ts";
import { type LazyText, lazyText } from "../../words/i18n/lazy-text.ts";
import { isObject } from "../../words/text/json.ts";
import { DURATION_UNITS, VALUE_TYPES } from "../../words/vocabulary/attribute-schema.ts";

/** A field of the form for a part of a vocabulary, and its input type. */
export type Field =
  /** A text for each language of the site. */
  | { readonly name: "label" | "unit" | "reverse" | "linkText"; readonly control: "texts" }
  | { readonly name: "decimals" | "order" | "rank"; readonly control: "number" }
  | { readonly name: "currency" | "group" | "colour" | "tint" | "id" | "count"; readonly control: "word" }
  | { readonly name: "type" | "countedIn"; readonly control: "choice"; readonly values: readonly string[] }
  /** A kind, including the operator's own. */
  | { readonly name: "kind"; readonly control: "kind" }
  /** Yes, no, or not set. */
  | { readonly name: "hidden" | "inLists"; readonly control: "flag" };

const LABEL: Field = { name: "label", control: "texts" };

/** The fields of each part; the form leaves everything else in the file as it is. */
export const FIELDS = {
  kind: [{ name: "tint", control: "word" }],
  attribute: [
    LABEL,
    { name: "type", control: "choice", values: VALUE_TYPES },
    { name: "unit", control: "texts" },
    { name: "decimals", control: "number" },
    { name: "currency", control: "word" },
    { name: "countedIn", control: "choice", values: DURATION_UNITS },
    { name: "linkText", control: "texts" },
    { name: "kind", control: "kind" },
    { name: "reverse", control: "texts" },
    { name: "id", control: "word" },
    { name: "count", control: "word" },
    { name: "order", control: "number" },
    { name: "group", control: "word" },
    { name: "hidden", control: "flag" },
    { name: "inLists", control: "flag" },
  ],
  value: [LABEL, { name: "colour", control: "word" }, { name: "rank", control: "number" }],
  group: [LABEL, { name: "order", control: "number" }],
  category: [LABEL],
} as const satisfies Record<string, readonly Field[]>;

export type RowKind = keyof typeof FIELDS;

/** The file's entries for one part of a vocabulary. */
export type Words = Readonly<Record<string, unknown>>;

/** The form's inputs of one part, by name: `label.ru`, `rank`. */
export type Typed = Readonly<Record<string, string>>;

/** One change of a file: the value of a name within a part; undefined removes it. */
export interface FieldEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The names of a field's inputs. */
export function listInputs({ name, control }: Field): string[] {
  return control === "texts" ? LANGUAGES.map((language) => `${name}.${language}`) : [name];
}

/** The content of a part as its inputs show it. */
export function readTyped(kind: RowKind, words: Words): Typed {
  return Object.fromEntries(FIELDS[kind].flatMap((field) => inputsOfWords(field, words[field.name])));
}

function inputsOfWords(field: Field, value: unknown): [string, string][] {
  if (field.control === "texts")
    return LANGUAGES.map((language) => [`${field.name}.${language}`, textFor(value, language)]);
  if (field.control === "flag") return [[field.name, value === true ? "yes" : value === false ? "no" : ""]];
  return [[field.name, typeof value === "string" || typeof value === "number" ? String(value) : ""]];
}

/** A text for all languages is in the field of the first one. */
function textFor(value: unknown, language: string): string {
  if (typeof value === "string") return language === FALLBACK ? value : "";
  const text = isObject(value) ? value[language] : undefined;
  return typeof text === "string" ? text : "";
}

/** The typed values that differ from the part, as changes of its file; `errors` by input. */
export function computeEdits(
  kind: RowKind,
  words: Words,
  typed: Typed,
): { edits: FieldEdit[]; errors: Record<string, LazyText> } {
  const before = readTyped(kind, words);
  const edits: FieldEdit[] = [];
  const errors: Record<string, LazyText> = {};
  for (const field of FIELDS[kind]) {
    const changed = listInputs(field).filter(
      (input) => typed[input] !== undefined && typed[input] !== before[input],
    );
    if (changed.length === 0) continue;
    if (field.control === "texts") {
      edits.push(...editTexts(field.name, words[field.name], changed, typed));
      continue;
    }
    const read = readInput(field, typed[field.name] ?? "");
    if ("error" in read) errors[field.name] = read.error;
    else edits.push({ path: [field.name], value: read.value });
  }
  return { edits, errors };
}

/** Texts in languages that the site does not have stay. A text for all languages stays one until another is typed. */
function editTexts(name: string, value: unknown, changed: readonly string[], typed: Typed): FieldEdit[] {
  const there: Words = typeof value === "string" ? { [FALLBACK]: value } : isObject(value) ? value : {};
  const texts = { ...there };
  for (const input of changed) {
    const language = input.slice(name.length + 1);
    const text = typed[input] ?? "";
    if (text === "") delete texts[language];
    else texts[language] = text;
  }
  const languages = Object.keys(texts);
  if (languages.length === 0) return [{ path: [name], value: undefined }];
  if (!isObject(value)) {
    const isForAll = languages.length === 1 && languages[0] === FALLBACK;
    return [{ path: [name], value: isForAll ? texts[FALLBACK] : texts }];
  }
  return changed.map((input) => {
    const language = input.slice(name.length + 1);
    return { path: [name, language], value: texts[language] };
  });
}

function readInput(
  field: Exclude<Field, { control: "texts" }>,
  text: string,
): { value: unknown } | { error: LazyText } {
  if (text === "") return { value: undefined };
  if (field.control === "flag") return { value: text === "yes" };
  if (field.control !== "number") return { value: text };
  const number = text.replace(",", ".").replace("−", "-");
  return /^-?\d{1,12}(\.\d{1,6})?$/.test(number)
    ? { value: Number(number) }
    : { error: lazyText("operator.vocabulary.error.number", { value: text }) };
}

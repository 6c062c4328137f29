import { attributeLabel } from "../../catalogue/attributes.ts";
import { formatFor } from "../../web/request/format.ts";
import type { Locale } from "../../web/request/locale.ts";
import type { Pagination } from "../../web/request/pagination.ts";
import { paginate } from "../../web/request/pagination.ts";
import { LANGUAGES, languageName } from "../../words/i18n/languages.ts";
import { type Translatable, translateText } from "../../words/i18n/lazy-text.ts";
import { translate } from "../../words/i18n/translate.ts";
import { catalogueKinds } from "../../words/kinds/kinds.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { wordsAt } from "./edit-text.ts";
import { FIELDS, type Field, type RowKind, readTyped, type Words } from "./fields.ts";
import type { ListedAttribute, Listing } from "./listing.ts";
import { listKinds, type Part, rootOf } from "./parts.ts";
import type { RowErrors, TypedRows } from "./rows.ts";

/** The data of a form. */
export interface FormState {
  readonly part: Part;
  readonly words: Words;
  readonly listing: Listing;
  readonly rows: TypedRows;
  readonly errors: RowErrors;
  /** The texts that pages use without an entry in the file. */
  readonly behind: Vocabulary;
  /** The current labels on pages. */
  readonly shown: Vocabulary;
  readonly page: number;
}

const ATTRIBUTES_A_PAGE = 30;
const CATEGORIES_A_PAGE = 60;

/** The form of a part for its view. Shows typed values, on any page. */
export function describeForm(state: FormState, locale: Locale) {
  const maker = new RowMaker(state, locale);
  const { listing, part, page, rows } = state;
  const isTyped = (...path: string[]) =>
    [...rows.values()].some((row) => path.every((step, at) => row.path[at] === step));
  const attributes = onPage(listing.attributes, page, ATTRIBUTES_A_PAGE, ({ key }) =>
    isTyped("attributes", key),
  );
  const categories = onPage(listing.categories, page, CATEGORIES_A_PAGE, ({ category }) =>
    isTyped("categories", category),
  );
  return {
    kindRow: typeof part === "object" ? maker.row("kind", [], "") : undefined,
    attributes: attributes.shown.map((attribute) => maker.attribute(attribute)),
    groups: listing.groups.map((name) => maker.row("group", ["groups", name], name)),
    categories: categories.shown.map(({ category, present }) =>
      maker.row("category", ["categories", category], category, present),
    ),
    pagination: part === "categories" ? categories.pagination : attributes.pagination,
    names: listing.attributes.map(({ key }) => key),
  };
}

function onPage<Entry>(
  all: readonly Entry[],
  page: number,
  limit: number,
  isTyped: (entry: Entry) => boolean,
): { shown: Entry[]; pagination: Pagination } {
  const pagination = paginate(all.length, page, limit);
  const { offset } = pagination;
  const shown = all.filter((entry, at) => (at >= offset && at < offset + limit) || isTyped(entry));
  return { shown, pagination };
}

/** Numbers rows, and sets the focus to the first wrong input. */
class RowMaker {
  readonly #state: FormState;
  readonly #locale: Locale;
  #number = 0;
  #hasFocus = false;

  constructor(state: FormState, locale: Locale) {
    this.#state = state;
    this.#locale = locale;
  }

  attribute(attribute: ListedAttribute) {
    const { key, examples, present, values } = attribute;
    const { shown, part } = this.#state;
    const [kind = "items"] = listKinds(part);
    const row = this.row("attribute", ["attributes", key], key, present);
    const valueRows = values.map(({ value, present: held }) =>
      this.row("value", ["attributes", key, "values", value], value, held),
    );
    return {
      row,
      /** Its current label on pages. */
      shownAs: attributeLabel(key, { ...this.#locale, vocabulary: shown.of(kind) }),
      examples: examples.join(" … "),
      values: valueRows,
      isOpen: [row, ...valueRows].some(({ isWrong, isChanged }) => isWrong || isChanged),
    };
  }

  /** The inputs of one part of the file, with the file's values. */
  row(kind: RowKind, path: readonly string[], name: string, present?: number) {
    const { part, words, rows, errors } = this.#state;
    const number = ++this.#number;
    const key = JSON.stringify(path);
    const was = wordsAt(words, [...rootOf(part), ...path]);
    const before = readTyped(kind, was);
    const typed = { ...before, ...rows.get(key)?.typed };
    const wrong = errors.get(key) ?? {};
    return {
      number,
      path: key,
      was: Object.keys(was).length === 0 ? "" : JSON.stringify(was),
      name,
      fields: FIELDS[kind].flatMap((field) => this.#fields(field, number, path, typed, wrong)),
      isWrong: Object.keys(wrong).length > 0,
      isChanged: Object.entries(typed).some(([input, text]) => text !== before[input]),
      present,
    };
  }

  #fields(
    field: Field,
    number: number,
    path: readonly string[],
    typed: Readonly<Record<string, string>>,
    wrong: Readonly<Record<string, Translatable>>,
  ) {
    const { t, language } = this.#locale;
    const label = t(`operator.vocabulary.fields.${field.name}`);
    if (field.control === "texts") {
      return LANGUAGES.map((each) => {
        const input = `${field.name}.${each}`;
        const own = t("operator.vocabulary.in_language", { label, language: languageName(each, language) });
        const error = wrong[input] ?? wrong[field.name];
        const placeholder = this.#placeholder(field.name, path, each);
        return this.#view(number, input, own, typed[input], error, {
          maxlength: 300,
          lang: each,
          placeholder,
        });
      });
    }
    const given: Readonly<Record<string, string>> = {
      ...(field.control === "number" && { inputmode: "decimal" }),
      ...(field.name === "group" && { list: "groups-there" }),
      ...(field.name === "tint" && { list: "names-there" }),
      ...(field.name === "colour" && { placeholder: "#b3341b", spellcheck: "false" }),
    };
    const view = this.#view(number, field.name, label, typed[field.name], wrong[field.name], given);
    const options = this.#options(field);
    return [options.length === 0 ? view : { ...view, control: "select", options, attributes: {} }];
  }

  #options(field: Field): [string, string][] {
    const { t } = this.#locale;
    if (field.control === "flag") {
      const texts = {
        hidden: [t("operator.vocabulary.hidden_yes"), t("operator.vocabulary.hidden_no")],
        inLists: [t("operator.vocabulary.lists_yes"), t("operator.vocabulary.lists_no")],
      } as const;
      const [yes, no] = texts[field.name];
      return [
        ["", t("operator.vocabulary.open")],
        ["yes", yes],
        ["no", no],
      ];
    }
    if (field.control === "kind") {
      const kinds = catalogueKinds().map((kind): [string, string] => [kind, t(`kinds.${kind}.many`)]);
      return [["", t("operator.vocabulary.open")], ...kinds];
    }
    if (field.control !== "choice") return [];
    const named = field.values.map((value): [string, string] => [value, this.#choice(field.name, value)]);
    return [
      ["", field.name === "type" ? t("operator.vocabulary.guessed") : t("operator.vocabulary.open")],
      ...named,
    ];
  }

  /** A choice without a text yet is shown as in the file. */
  #choice(name: string, value: string): string {
    const key = `operator.vocabulary.choices.${name}.${value}`;
    const text = translateText(
      { key: key as "operator.vocabulary.choices.type.number", values: {} },
      this.#locale.language,
    );
    return text === key ? value : text;
  }

  /** One input, in the form that views/partials/field.ejs expects. */
  #view(
    number: number,
    input: string,
    label: string,
    value: string | undefined,
    error: Translatable | undefined,
    attributes: Readonly<Record<string, string | number | undefined>>,
  ) {
    const { t, language } = this.#locale;
    const autofocus = error !== undefined && !this.#hasFocus;
    this.#hasFocus ||= autofocus;
    return {
      id: `f${number}-${input.replace(".", "-")}`,
      name: `${number}.${input}`,
      label,
      control: "input",
      value: value ?? "",
      error: error && t("input.sentence", { label, message: translateText(error, language) }),
      autofocus,
      options: [],
      attributes: {
        autocomplete: "off",
        ...Object.fromEntries(
          Object.entries(attributes).flatMap(([name, text]) => (text ? [[name, text]] : [])),
        ),
      },
    };
  }

  /** The label that pages show if nothing is typed. */
  #placeholder(name: string, path: readonly string[], language: string): string | undefined {
    if (name !== "label" || path.length === 0) return undefined;
    const [what, key = "", , value] = path;
    const { behind, part } = this.#state;
    const [kind = "items"] = listKinds(part);
    if (what === "categories") return behind.categoryLabel(key, language) ?? key;
    if (what === "groups") return key;
    if (value !== undefined) return behind.of(kind).valueLabel(key, value, language) ?? value;
    const words = {
      t: translate(language),
      format: formatFor(language),
      language,
      vocabulary: behind.of(kind),
    };
    return attributeLabel(key, words);
  }
}

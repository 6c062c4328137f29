import type { Language } from "../i18n/languages.ts";
import { type CatalogueKind, catalogueKinds } from "../kinds/kinds.ts";
import type { GameCodes } from "../text/game-codes.ts";
import type { AttributeWords, ValueWords } from "./attribute-schema.ts";
import { coloursOfKinds } from "./own-kinds.ts";
import { type ReferenceAttribute, referenceOf } from "./references.ts";
import type { CategoryWords, GroupWords, KindWords, VocabularyFile } from "./schema.ts";
import { textIn, textsOf } from "./text-in.ts";
import type { Text } from "./text-schema.ts";

/** An attribute's words, with the labels of its values in the long form. */
export type Attribute = Omit<AttributeWords, "values"> & { readonly values: ReadonlyMap<string, ValueWords> };

/** Values that attributes can have words for; `true` has those of "true". */
type Named = string | number | boolean;

/** The vocabulary of one kind; words for all kinds are the fallback. */
export class KindVocabulary {
  readonly #attributes: ReadonlyMap<string, Attribute>;
  readonly #groups: ReadonlyMap<string, GroupWords>;
  /** The game whose codes are removed from texts, if any. */
  readonly codes: GameCodes | undefined;
  /** The attribute whose value colours names, if any. */
  readonly tint: string | undefined;

  /** @param layers the most important first */
  constructor(layers: readonly KindWords[]) {
    const least = [...layers].reverse();
    this.#attributes = mergeAttributes(least.map(({ attributes = {} }) => attributes));
    this.#groups = new Map(least.flatMap(({ groups = {} }) => Object.entries(groups)));
    this.codes = layers.find(({ codes }) => codes !== undefined)?.codes;
    this.tint = layers.find(({ tint }) => tint !== undefined)?.tint ?? this.#firstRankedColours();
  }

  attribute(key: string): Attribute | undefined {
    return this.#attributes.get(key);
  }

  /** The attributes in the file. */
  keys(): string[] {
    return [...this.#attributes.keys()];
  }

  label(key: string, language: Language): string | undefined {
    return textIn(this.#attributes.get(key)?.label, language);
  }

  /** A value's label; undefined if the value is shown as it is. */
  valueLabel(key: string, value: unknown, language: Language): string | undefined {
    return textIn(this.#valueOf(key, value)?.label, language);
  }

  /** The values of these attributes with their labels in all languages. */
  valueLabels(keys: readonly string[]): [value: string, labels: string[]][] {
    return keys.flatMap((key) =>
      [...(this.#attributes.get(key)?.values ?? [])].map(([value, { label }]): [string, string[]] => [
        value,
        textsOf(label),
      ]),
    );
  }

  /** The colour of a value, as the file writes it. */
  colour(key: string, value: unknown): string | undefined {
    return this.#valueOf(key, value)?.colour;
  }

  /** A value's rank, the lowest first; undefined without one. */
  rank(key: string, value: unknown): number | undefined {
    return this.#valueOf(key, value)?.rank;
  }

  isHidden(key: string): boolean {
    return this.#attributes.get(key)?.hidden === true;
  }

  /** How an attribute refers to entries of another kind; undefined if it does not, or is hidden. */
  referenceOf(key: string): ReturnType<typeof referenceOf> {
    const attribute = this.#attributes.get(key);
    return attribute === undefined || attribute.hidden === true ? undefined : referenceOf(attribute);
  }

  /** Whether lists can be filtered by an attribute: not by texts, addresses and lists of entries. */
  isFilter(key: string): boolean {
    const type = this.#attributes.get(key)?.type;
    return !this.isHidden(key) && type !== "richText" && type !== "link" && type !== "entries";
  }

  /** Whether lists can be sorted by the numbers of an attribute. */
  isSort(key: string): boolean {
    return this.isFilter(key) && this.referenceOf(key) === undefined;
  }

  groupOf(key: string): string | undefined {
    return this.#attributes.get(key)?.group;
  }

  groupLabel(name: string, language: Language): string {
    return textIn(this.#groups.get(name)?.label, language) ?? name;
  }

  /** A group's order; infinite without one, so that the group comes last. */
  groupOrder(name: string): number {
    return this.#groups.get(name)?.order ?? Number.POSITIVE_INFINITY;
  }

  /** All colours of names and values. */
  colours(): string[] {
    const values = [...this.#attributes.values()].flatMap((attribute) => [...attribute.values.values()]);
    return [...new Set(values.flatMap(({ colour }) => colour ?? []))];
  }

  #valueOf(key: string, value: unknown): ValueWords | undefined {
    return isNamed(value) ? this.#attributes.get(key)?.values.get(String(value)) : undefined;
  }

  #firstRankedColours(): string | undefined {
    return this.keys().find((key) => {
      const values = [...(this.#attributes.get(key)?.values.values() ?? [])];
      return values.some(({ colour, rank }) => colour !== undefined && rank !== undefined);
    });
  }
}

/** The operator's words for the game's data, by kind. */
export class Vocabulary {
  /** The words for attributes of all kinds, also used for records without a kind, such as shop items. */
  readonly shared: KindVocabulary;
  readonly #kinds: ReadonlyMap<CatalogueKind, KindVocabulary>;
  readonly #categories: ReadonlyMap<string, CategoryWords>;
  readonly #kindColours: ReadonlyMap<string, string>;

  /** @param files the most important first; each is the fallback of those before it */
  constructor(files: readonly VocabularyFile[]) {
    const categories = [...files].reverse().flatMap(({ categories = {} }) => Object.entries(categories));
    this.#categories = mergeLabelled(categories);
    this.#kindColours = new Map([...files].reverse().flatMap(coloursOfKinds));
    this.shared = new KindVocabulary(files.map(({ attributes, groups }) => ({ attributes, groups })));
    this.#kinds = new Map(
      catalogueKinds().map((kind) => {
        const layers = files.flatMap(({ kinds, attributes, groups }): KindWords[] => [
          kinds && Object.hasOwn(kinds, kind) ? (kinds[kind] ?? {}) : {},
          { attributes, groups },
        ]);
        return [kind, new KindVocabulary(layers)];
      }),
    );
  }

  of(kind: CatalogueKind): KindVocabulary {
    return this.#kinds.get(kind) ?? NO_WORDS;
  }

  /** The attributes of all kinds that refer to entries of an existing kind. */
  references(): ReferenceAttribute[] {
    return [...this.#kinds].flatMap(([kind, words]) =>
      words.keys().flatMap((key): ReferenceAttribute[] => {
        const reference = words.referenceOf(key);
        return reference && this.#kinds.has(reference.toKind) ? [{ kind, key, ...reference }] : [];
      }),
    );
  }

  /** A category's label; undefined if the category is shown as it is. */
  categoryLabel(category: string, language: Language): string | undefined {
    return textIn(this.#categories.get(category)?.label, language);
  }

  /** The categories with their labels in all languages. */
  categoryLabels(): [category: string, labels: string[]][] {
    return [...this.#categories].map(([category, { label }]) => [category, textsOf(label)]);
  }

  categoryLook(category: string): Pick<CategoryWords, "glyph" | "colour"> {
    return this.#categories.get(category) ?? {};
  }

  /** The categories that have words or a look. */
  categories(): string[] {
    return [...this.#categories.keys()];
  }

  kindColours(): [kind: string, colour: string][] {
    return [...this.#kindColours];
  }

  /** Every colour of every kind and category. */
  colours(): string[] {
    const ofCategories = [...this.#categories.values()].flatMap(({ colour }) => colour ?? []);
    return [
      ...new Set([...ofCategories, ...[...this.#kinds.values()].flatMap((kind) => kind.colours())]),
    ].sort();
  }
}

/** The vocabulary of a kind that the file does not mention. */
export const NO_WORDS = new KindVocabulary([]);

function mergeAttributes(layers: readonly Record<string, AttributeWords>[]): ReadonlyMap<string, Attribute> {
  const merged = new Map<string, Attribute>();
  for (const [key, { values = {}, ...words }] of layers.flatMap((layer) => Object.entries(layer))) {
    const known = merged.get(key);
    const longForms = Object.entries(values).map(([value, given]): [string, ValueWords] => {
      const words = typeof given === "string" ? { label: given } : given;
      return [value, mergeWords(known?.values.get(value), words)];
    });
    merged.set(key, { ...known, ...words, values: new Map([...(known?.values ?? []), ...longForms]) });
  }
  return merged;
}

function mergeLabelled(entries: readonly [string, CategoryWords][]): ReadonlyMap<string, CategoryWords> {
  const merged = new Map<string, CategoryWords>();
  for (const [name, words] of entries) merged.set(name, mergeWords(merged.get(name), words));
  return merged;
}

/** Merges two layers of words. A label by language takes missing languages from the weaker layer. */
function mergeWords<Words extends { label?: Text | undefined }>(
  weak: Words | undefined,
  strong: Words,
): Words {
  const [less, more] = [weak?.label, strong.label];
  const label = typeof less === "object" && typeof more === "object" ? { ...less, ...more } : (more ?? less);
  return { ...weak, ...strong, ...(label !== undefined && { label }) };
}

function isNamed(value: unknown): value is Named {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

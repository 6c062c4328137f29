import type { NamedEntries, NamedEntry, SaidOfKind } from "../records/relations/named-entries.ts";
import { lineOfNamed, type RelatedLine } from "../records/relations/related-hit.ts";
import type { Locale } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import { referencesIn, type Said } from "../words/vocabulary/references.ts";
import { textIn } from "../words/vocabulary/text-in.ts";
import type { KindVocabulary } from "../words/vocabulary/vocabulary.ts";

/** What links are written with; without `entries`, what names an entry is text. */
export type LinkWords = Pick<Locale, "t" | "format" | "language"> & {
  readonly vocabulary: KindVocabulary;
  /** The entries that the attributes name, as far as they were looked up. */
  readonly entries?: NamedEntries | undefined;
};

/** A part of a value that may lead somewhere. */
export interface ValueLink {
  readonly text: string;
  /** Undefined: it is only text. */
  readonly href: string | undefined;
  /** It leads away from the site. */
  readonly isForeign: boolean;
  readonly lang: string | undefined;
  readonly tint: string | undefined;
  /** How many, before the text. */
  readonly count: string | undefined;
}

/** One entry that a value names, with what was found of it. */
type Named = Said & { readonly entry: NamedEntry | undefined };

/** The entries that a value names, if its attribute names entries. */
export function namedIn(key: string, value: unknown, words: LinkWords): Named[] | undefined {
  const reference = words.vocabulary.referenceOf(key);
  if (reference === undefined || value === null || value === undefined) return undefined;
  const { toKind: kind } = reference;
  return referencesIn(value, reference).map((each) => {
    return { ...each, entry: words.entries?.find({ kind, said: each.said }) };
  });
}

/** The references to look up for the attributes of some records, limited for each value. */
export function listReferences(
  records: readonly Record<string, unknown>[],
  vocabulary: KindVocabulary,
  most: number,
): SaidOfKind[] {
  return vocabulary.keys().flatMap((key) => {
    const reference = vocabulary.referenceOf(key);
    if (!reference) return [];
    const { toKind: kind } = reference;
    const values = records.map((attributes) => (Object.hasOwn(attributes, key) ? attributes[key] : null));
    return values.flatMap((value) =>
      referencesIn(value, reference)
        .slice(0, most)
        .map(({ said }) => ({ kind, said })),
    );
  });
}

/** The targets of a value: an address, several, or entries; undefined if it is no link. */
export function linksIn(
  key: string,
  value: unknown,
  words: LinkWords & Pick<Locale, "paths">,
  most: number,
): ValueLink[] | undefined {
  const named = namedIn(key, value, words);
  if (named) {
    const links = named.slice(0, most).map((each) => linkOfEntry(each, words));
    return named.length > most ? [...links, plain(moreText(named.length - most, words))] : links;
  }
  const parts = Array.isArray(value) && words.vocabulary.attribute(key)?.type === "link" ? value : [value];
  if (!parts.some(isLink)) return undefined;
  return parts.map((part) => {
    const text = linkText(key, part, words);
    return isLink(part) ? { ...plain(text), href: part, isForeign: true } : plain(text);
  });
}

/** `3 × Iron bar, Wood` of the entries that a value names, at most so many. */
export function namesText(named: readonly Named[], words: LinkWords, most: number): string {
  const { t, format, language } = words;
  const texts = named.slice(0, most).map(({ said, count, entry }) => {
    const name = entry ? localName(entry, language).name : said;
    return count === null ? name : t("relations.times", { figure: format.number(count), name });
  });
  if (named.length > most) texts.push(moreText(named.length - most, words));
  return texts.length === 0 ? "–" : texts.join(", ");
}

/** The text of a link: the vocabulary's text, or the host if the attribute is a link. */
export function linkText(key: string, value: unknown, { vocabulary, format, language }: LinkWords): string {
  const attribute = vocabulary.attribute(key);
  if (attribute?.type !== "link" || !isLink(value)) return format.attribute(value);
  return textIn(attribute.linkText, language) ?? new URL(value).host.replace(/^www\./, "");
}

/** The entries that a value names, with pictures. */
export function entryLines(named: readonly Named[], most: number, locale: Locale): RelatedLine[] {
  return named.slice(0, most).map((each) => lineOfNamed(each, locale));
}

/** Whether a value is an address of the web; others, such as `javascript:`, are text. */
export function isLink(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}

/** `and 12 more`. */
export function moreText(count: number, { t, format }: Pick<LinkWords, "t" | "format">): string {
  return t("relations.more", { count, figure: format.number(count) });
}

function linkOfEntry({ said, count, entry }: Named, words: LinkWords & Pick<Locale, "paths">): ValueLink {
  const { format, language, paths } = words;
  const figure = count === null ? undefined : `${format.number(count)}\u00a0×\u00a0`;
  if (!entry) return { ...plain(said), count: figure };
  const { name, lang } = localName(entry, language);
  const href = paths.entry(entry.kind, entry.id);
  return { text: name, href, isForeign: false, lang, tint: entry.tint, count: figure };
}

function plain(text: string): ValueLink {
  return { text, href: undefined, isForeign: false, lang: undefined, tint: undefined, count: undefined };
}

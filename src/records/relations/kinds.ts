import type { Locale } from "../../web/request/locale.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { textIn } from "../../words/vocabulary/text-in.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";

/** What labels of attribute references need. */
type ReferenceWords = Pick<Locale, "t" | "format" | "language"> & { everyKind: Vocabulary };

/**
 * The kinds of relations with texts of their own (`relations.kinds`), in the order of a page, and the name of each from
 * its other end. Any other word is a kind too, and is shown as written.
 */
const REVERSES = {
  "made-of": "used-for",
  "sold-at": "sells",
  "drops-from": "drops",
  "found-in": "contains",
  "reward-of": "rewards",
  unlocks: "unlocked-by",
  "upgrade-of": "upgrades-to",
} as const;

type KnownRelation = keyof typeof REVERSES;

export const KNOWN_RELATIONS = Object.keys(REVERSES) as KnownRelation[];

/** Every name of a relation, from either end. */
export const RELATION_WORDS: readonly string[] = [...KNOWN_RELATIONS, ...Object.values(REVERSES)];

/** The kind of the parts of a thing. */
export const MADE_OF: KnownRelation = "made-of";

/** Which end of a relation an entry is. */
export type Direction = "from" | "to";

/** A stored kind. `isReversed` means that the input named it from its other end, so its two ends are swapped. */
export interface RelationKind {
  readonly kind: string;
  readonly isReversed: boolean;
}

/**
 * `made-of` for `Made of`, `made_of` and `madeOf`; undefined for text with other characters than letters, digits and
 * gaps.
 */
export function relationKind(text: string): RelationKind | undefined {
  const word = text
    .normalize("NFC")
    .trim()
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2")
    .replace(/[\s_-]+/gu, "-")
    .toLowerCase();
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,59}$/u.test(word)) return undefined;
  const meant = KNOWN_RELATIONS.find((kind) => REVERSES[kind] === word);
  return meant ? { kind: meant, isReversed: true } : { kind: word, isReversed: false };
}

export function isKnownRelation(kind: string): kind is KnownRelation {
  return Object.hasOwn(REVERSES, kind);
}

/** The kind of the relations derived from an attribute: `vehicles.sold_at`. No other kind of relation has a dot. */
export function referenceRelation({ kind, key }: { kind: string; key: string }): string {
  return `${kind}.${key}`;
}

/** Whether a kind of relations is that of an attribute. */
export function isReferenceRelation(relation: string): boolean {
  return relation.includes(".");
}

/** The attribute behind a kind of relations; undefined if the vocabulary no longer has it, or hides it. */
export function findAttribute(
  relation: string,
  everyKind: Vocabulary,
): { kind: CatalogueKind; key: string } | undefined {
  const [, kind = "", key = ""] = /^([^.]+)\.(.+)$/s.exec(relation) ?? [];
  if (!isCatalogueKind(kind) || everyKind.of(kind).referenceOf(key) === undefined) return undefined;
  return { kind, key };
}

/**
 * The heading of an entry's related entries: the attribute's label for its own references; for references to it, the
 * vocabulary's reverse, else their kind and the label.
 */
function referenceLabel(
  { kind, key }: { kind: CatalogueKind; key: string },
  direction: Direction,
  { t, format, language, everyKind }: ReferenceWords,
): string {
  const known = everyKind.of(kind);
  const label = known.label(key, language) ?? format.label(key);
  if (direction === "from") return label;
  const reverse = textIn(known.attribute(key)?.reverse, language);
  return reverse ?? t("relations.referred", { kinds: t(`kinds.${kind}.many`), label });
}

/**
 * The heading of an entry's related entries: `Made of` for its parts, `Used for` for the whole. A kind without texts is
 * shown by its own word; at the other end, as the word that refers to this entry.
 */
export function relationLabel(kind: string, direction: Direction, words: ReferenceWords): string {
  const { t, format } = words;
  const attribute = findAttribute(kind, words.everyKind);
  if (attribute) return referenceLabel(attribute, direction, words);
  if (isKnownRelation(kind)) return t(`relations.kinds.${kind}.${direction}`);
  const label = format.label(kind);
  return direction === "from" ? label : t("relations.reverse", { label });
}

/** The count and the chance (`chance` is a share of 1): `×3 · 12%`; undefined if neither is known. */
export function amountText(
  { count, chance }: { count: number | null; chance: number | null },
  { t, format }: Pick<Locale, "t" | "format">,
): string | undefined {
  const parts = [
    // The sign is the same in every language, so no text is looked up for each of many lines.
    count === null ? undefined : `×${format.number(count)}`,
    // Not rounded, because a chance of 1 in 10,000 must not read as none.
    chance === null
      ? undefined
      : t("relations.chance", { figure: format.attribute(Number((chance * 100).toPrecision(6))) }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" · ");
}

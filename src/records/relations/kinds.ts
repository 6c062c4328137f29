/**
 * The kinds of relations that have texts of their own (`relations.kinds`), in the order of a page, and what the same
 * relation is called from its other end. Any other word is a kind too, and is shown as it is written.
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

export type KnownRelation = keyof typeof REVERSES;

export const KNOWN_RELATIONS = Object.keys(REVERSES) as KnownRelation[];

/** Every word that a relation may be called, from either end. */
export const RELATION_WORDS: readonly string[] = [...KNOWN_RELATIONS, ...Object.values(REVERSES)];

/** The kind of the parts of a thing. */
export const MADE_OF: KnownRelation = "made-of";

/** Which end of a relation an entry is. */
export type Direction = "from" | "to";

/** A kind as it is stored. `isReversed`: it was named from its other end, so its two ends change places. */
export interface RelationKind {
  readonly kind: string;
  readonly isReversed: boolean;
}

/** `made-of` of `Made of`, `made_of` and `madeOf`; undefined for what has more in it than letters, digits and gaps. */
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

import type { Locale } from "../../web/request/locale.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { textIn } from "../../words/vocabulary/text-in.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Direction } from "./kinds.ts";

/** What references of attributes are written with. */
export type ReferenceWords = Pick<Locale, "t" | "format" | "language"> & { everyKind: Vocabulary };

/** The kind of relations that an attribute makes: `vehicles.sold_at`. No other kind of relation has a dot. */
export function referenceRelation({ kind, key }: { kind: string; key: string }): string {
  return `${kind}.${key}`;
}

/** Whether a kind of relations is that of an attribute. */
export function isReferenceRelation(relation: string): boolean {
  return relation.includes(".");
}

/** The attribute that makes a kind of relations; undefined where the vocabulary has it no more, or hides it. */
export function findAttribute(
  relation: string,
  everyKind: Vocabulary,
): { kind: CatalogueKind; key: string } | undefined {
  const [, kind = "", key = ""] = /^([^.]+)\.(.+)$/s.exec(relation) ?? [];
  if (!isCatalogueKind(kind) || everyKind.of(kind).referenceOf(key) === undefined) return undefined;
  return { kind, key };
}

/**
 * The label of the others for an entry: the attribute's label for its own references; for references to it, the
 * vocabulary's reverse, else their kind and the label.
 */
export function referenceLabel(
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

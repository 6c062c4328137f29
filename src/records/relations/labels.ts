import type { Locale } from "../../web/request/locale.ts";
import { type Direction, isKnownRelation } from "./kinds.ts";
import { findAttribute, type ReferenceWords, referenceLabel } from "./reference-kinds.ts";

/**
 * The label of the others for an entry at this end of a relation: `Made of` for its parts, `Used for` for the whole.
 * A kind without texts is shown by its own word; at the other end, as the word that refers to this entry.
 */
export function relationLabel(kind: string, direction: Direction, words: ReferenceWords): string {
  const { t, format } = words;
  const attribute = findAttribute(kind, words.everyKind);
  if (attribute) return referenceLabel(attribute, direction, words);
  if (isKnownRelation(kind)) return t(`relations.kinds.${kind}.${direction}`);
  const label = format.label(kind);
  return direction === "from" ? label : t("relations.reverse", { label });
}

/** How many, and how likely (`chance` is a share of 1): `×3 · 12%`; undefined where neither is known. */
export function amountText(
  { count, chance }: { count: number | null; chance: number | null },
  { t, format }: Pick<Locale, "t" | "format">,
): string | undefined {
  const parts = [
    // A sign in every language, so no text is looked up for each of many lines.
    count === null ? undefined : `×${format.number(count)}`,
    // Not rounded: a chance of 1 in 10,000 must not read as none.
    chance === null
      ? undefined
      : t("relations.chance", { figure: format.attribute(Number((chance * 100).toPrecision(6))) }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" · ");
}

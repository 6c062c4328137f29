import { compareNames } from "../i18n/name-order.ts";

/** A category as readers see it; `lang` is the language of the text where it is known and not the page's. */
export interface CategoryText {
  readonly text: string;
  readonly lang: string | undefined;
}

/** A category in the search box; `glyph` and `tint` are there where it has a drawing or colour of its own. */
export interface SearchedCategory extends CategoryText {
  readonly glyph?: string | undefined;
  readonly tint?: string | undefined;
}

/** Categories in the order of what readers see of them, which in their language is another one. */
export function inNameOrder<Listed extends { readonly category: string | null }>(
  categories: readonly Listed[],
  nameOf: (category: string) => string,
): Listed[] {
  const name = ({ category }: Listed) => (category === null ? "" : nameOf(category));
  return categories.toSorted((a, b) => compareNames(name(a), name(b)));
}

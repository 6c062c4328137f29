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

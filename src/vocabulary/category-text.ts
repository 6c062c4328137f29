/** A category as readers see it; `lang` is the language of the text where it is known and not the page's. */
export interface CategoryText {
  readonly text: string;
  readonly lang: string | undefined;
}

import { LANGUAGES } from "../i18n/languages.ts";
import { withPrefix } from "../urls.ts";

/** An address of a page in one language, as `hreflang` has it, or the one that leaves the language open. */
export interface Alternate {
  language: string;
  path: string;
}

/**
 * A page's address in every language, and the one that leaves it open: for the page's head and for the sitemap, which
 * search engines believe only where the two agree.
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions
 */
export function alternatesOf(path: string): Alternate[] {
  const fixed = LANGUAGES.map((language) => ({ language, path: withPrefix(`/${language}`, path) }));
  return [...fixed, { language: "x-default", path }];
}

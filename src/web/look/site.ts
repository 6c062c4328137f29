import type { GameLink } from "../../settings/look.ts";
import type { Announcement } from "../../settings/texts.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { DrawnKind, Glyph } from "../../words/kinds/glyphs.ts";
import type { CategoryText, SearchedCategory } from "../../words/vocabulary/category-text.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import type { Assets } from "../assets/build.ts";

/** Data about the site that every page needs. */
export interface Site {
  name: string;
  baseUrl: string;
  /** Hosts that pages load pictures of records from. */
  imageHosts: readonly string[];
  /** The operator's own logo; the site's if unset. */
  logo?: string;
  /** The icon on an iPhone's home screen. */
  touchIcon: string;
  /** Links to the game's own sites, such as its forum. */
  links: readonly GameLink[];
  /** The style sheet of the operator's accent, loaded after the design's. */
  accentStyle?: string;
  /** The accent on dark grounds, `#rrggbb`. */
  bandAccent: string;
  /** Colours for the browser's own bars. */
  themeColours: { readonly light: string; readonly dark: string };
  /** True while invented demo records are on the site; pages say so. */
  demo: boolean;
  /** All of them, also those that are not shown now. */
  announcements: readonly Announcement[];
  vocabulary: Vocabulary;
  /** When the words of the vocabulary or of imports last changed; undefined if never. */
  wordsChangedAt?: Date | undefined;
  /** The style sheet of its colours, if it has any. */
  tintStyle: string | undefined;
  /** A category's label in a language; `lang` is the language of the text, if known. */
  category(category: string, language: Language): CategoryText;
  /** The drawing for a record without a picture, by its kind and category. */
  glyph(kind: DrawnKind, category: string | null): Glyph;
  /** The language of a record's own texts, for `lang`, if known. */
  textLanguage(record: { demo: boolean }): string | undefined;
  /** The labels and drawings of categories in the search box, by their words in the data. */
  searchedCategories(language: Language): Record<string, SearchedCategory>;
  /** The files of public/ with their current addresses. */
  assets: Assets;
  /** Whether pages should link to a section: a kind, `servers`, `shop`, `discounts`, `nicknames` or `pages`. */
  hasSection(section: string): boolean;
  /** The small picture of a record; undefined if it has none. */
  thumbnail(
    record: { readonly picture: string | null; readonly image: string | null },
    side: 32 | 64,
  ): { readonly src: string; readonly srcset: string | undefined } | undefined;
  /** The picture for pages without one of their own. */
  preview(language: Language): Preview;
  /** The same site with another vocabulary, to preview it. */
  withVocabulary(words: Vocabulary, tintStyle: string | undefined): Site;
}

/** The preview of a link in chats and networks, beyond title and description. Source: https://ogp.me/ */
export interface Preview {
  /** The language of picture and page, as `en_US`. */
  readonly locale: string;
  readonly otherLocales: readonly string[];
  /** Absolute. */
  readonly url: string;
  /** The description of the picture, for those who do not see it. */
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

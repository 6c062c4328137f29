import type { RequestHandler } from "express";
import type { ChangeFeed } from "./db/change-feed.ts";
import type { NonEmptySections } from "./records/non-empty-sections.ts";
import { chooseThumbnail } from "./records/picture.ts";
import { categoryLanguage, textLanguage } from "./records/text-language.ts";
import type { SiteLook } from "./web/look/look.ts";
import type { Site } from "./web/look/site.ts";
import type { BaseContext } from "./web/pages/context.ts";
import type { Language } from "./words/i18n/languages.ts";
import type { CategoryText } from "./words/vocabulary/category-text.ts";
import { glyphIn, tintClass } from "./words/vocabulary/tint.ts";
import type { Vocabulary } from "./words/vocabulary/vocabulary.ts";

/** Makes the site's own preview. It is handed in, because `previews` imports from this room. */
type SitePreview = (site: Site, language: Language) => ReturnType<Site["preview"]>;

/** Sets `req.site`. */
export function provideSite(readSite: () => Promise<Site>): RequestHandler {
  return async (req, _res, next) => {
    req.site = await readSite();
    next();
  };
}

/** What every page knows is made from. */
interface SiteParts extends BaseContext {
  readonly feed: ChangeFeed;
  readonly look: SiteLook;
  readonly sections: NonEmptySections;
}

/** Reads what every page knows of the site, as new as the change feed. */
export function createSiteReader(
  { assets, config, feed, look, sections, vocabulary }: SiteParts,
  sitePreview: SitePreview,
): () => Promise<Site> {
  const siteOf = (words: Vocabulary, isDemo: boolean, tintStyle: string | undefined): Site => {
    const category = (word: string, language: Language) => categoryText(word, language, words, isDemo);
    return {
      ...look,
      name: config.siteName,
      baseUrl: config.baseUrl,
      imageHosts: config.imageHosts,
      demo: isDemo,
      announcements: config.announcements,
      hasSection: (section) => sections.has(section),
      vocabulary: words,
      wordsChangedAt: vocabulary.changedAt,
      tintStyle,
      category,
      preview(language) {
        return sitePreview(this, language);
      },
      textLanguage,
      thumbnail: (record, side) => chooseThumbnail(record, side, config.imageHosts),
      glyph: (kind, word) => glyphIn(words, kind, word),
      searchedCategories: (language) =>
        Object.fromEntries(
          words.categories().map((word) => {
            const { glyph, colour } = words.categoryLook(word);
            return [word, { ...category(word, language), glyph, tint: colour && tintClass(colour) }];
          }),
        ),
      withVocabulary: (other, style) => siteOf(other, isDemo, style),
      assets,
    };
  };
  return async () => {
    if (!feed.canAnswer) await feed.confirm();
    const { isDemo } = sections;
    const words = vocabulary.of({ withDefaults: isDemo });
    return siteOf(words, isDemo, look.tintStyle(words));
  };
}

/** Without words for the language, the category as the data has it; of the demo's the language is known. */
function categoryText(word: string, language: Language, words: Vocabulary, isDemo: boolean): CategoryText {
  const text = words.categoryLabel(word, language);
  if (text !== undefined) return { text, lang: undefined };
  const lang = isDemo ? categoryLanguage(word) : undefined;
  return { text: word, lang: lang === language ? undefined : lang };
}

import type { RequestHandler } from "express";
import { hasDemoRecords } from "./records/demo-records.ts";
import type { NonEmptySections } from "./records/non-empty-sections.ts";
import { chooseThumbnail } from "./records/picture.ts";
import { categoryLanguage, textLanguage } from "./records/text-language.ts";
import { followWords } from "./records/word-queries.ts";
import type { SiteLook } from "./web/look/look.ts";
import type { Site } from "./web/look/site.ts";
import type { BaseContext } from "./web/pages/context.ts";
import type { Language } from "./words/i18n/languages.ts";
import type { CategoryText } from "./words/vocabulary/category-text.ts";
import { glyphIn, tintClass } from "./words/vocabulary/tint.ts";
import type { Vocabulary } from "./words/vocabulary/vocabulary.ts";

const RECHECK_MS = 15_000;

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
  readonly look: SiteLook;
  readonly sections: NonEmptySections;
}

/**
 * Reads what every page knows of the site. Checks now and then for what another process may have changed: demo records,
 * words, what is empty.
 */
export function createSiteReader(
  { assets, config, db, log, look, sections, vocabulary }: SiteParts,
  sitePreview: SitePreview,
): () => Promise<Site> {
  let demo = false;
  let known = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const recheck = async () => {
    checkedAt = Date.now();
    try {
      demo = await hasDemoRecords(db);
      await followWords(db, vocabulary);
      await sections.follow(db);
      known = true;
    } catch (error) {
      checkedAt = Number.NEGATIVE_INFINITY;
      log.debug(
        { err: error },
        "could not tell whether demo data is there, which sections are empty, or read the words of records",
      );
    }
  };
  let running = Promise.resolve();
  const siteOf = (words: Vocabulary, isDemo: boolean, tintStyle: string | undefined): Site => {
    const category = (word: string, language: Language) => categoryText(word, language, words, isDemo);
    return {
      ...look,
      name: config.siteName,
      baseUrl: config.baseUrl,
      imageHosts: config.imageHosts,
      demo: isDemo,
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
    if (Date.now() - checkedAt > RECHECK_MS) running = recheck();
    // Every page waits for the first check, not only the one that starts it: the others would link to empty sections.
    if (!known) await running;
    const words = vocabulary.of({ withDefaults: demo });
    return siteOf(words, demo, look.tintStyle(words));
  };
}

/** Without words for the language, the category as the data has it; of the demo's the language is known. */
function categoryText(word: string, language: Language, words: Vocabulary, isDemo: boolean): CategoryText {
  const text = words.categoryLabel(word, language);
  if (text !== undefined) return { text, lang: undefined };
  const lang = isDemo ? categoryLanguage(word) : undefined;
  return { text: word, lang: lang === language ? undefined : lang };
}

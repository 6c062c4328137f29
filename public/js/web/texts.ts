import type { Texts } from "../../../src/words/i18n/complete.ts";
import { sayTexts } from "../../../src/words/i18n/script-texts.ts";

declare global {
  interface Window {
    siteTexts?: Texts;
  }
}

/** Texts in the page's language, from the file that the page loads before any module. */
export const text = sayTexts(window.siteTexts, document.documentElement.lang || "en");

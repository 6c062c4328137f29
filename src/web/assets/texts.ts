import { textsIn } from "../../words/i18n/translate.ts";

/** The texts of all pages' scripts in one language, cached like any script. */
export function textsScript(language: string): Buffer {
  return Buffer.from(`window.siteTexts=${JSON.stringify(textsIn(language).script ?? {})}`);
}

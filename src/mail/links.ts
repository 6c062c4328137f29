import { firstKnownLanguage } from "../i18n/languages.ts";
import { localPaths, type Paths, withPrefix } from "../urls.ts";

/**
 * The paths for links of what is sent to a user: in the language that the account was set to, so that a page reads like
 * the mail that led to it, also where nobody is logged in. Of who told no language, the browser is asked as ever.
 */
export function mailPaths(language: string | null): Paths {
  const prefix = prefixOf(language);
  const local = localPaths(prefix);
  return { ...local, unsubscribe: (token) => withPrefix(prefix, local.unsubscribe(token)) };
}

function prefixOf(language: string | null): string {
  const known = language === null ? undefined : firstKnownLanguage([language]);
  return known === undefined ? "" : `/${known}`;
}

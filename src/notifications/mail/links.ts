import { firstKnownLanguage } from "../../words/i18n/languages.ts";
import { localPaths, type Paths, withPrefix } from "../../words/urls.ts";

/**
 * Paths for links in what is sent to a user, in the account's language, so that pages match the mail also without a
 * log-in. If the account has no language, the browser decides as usual.
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

import { LANGUAGES } from "../i18n/languages.ts";
import { absoluteUrl, paths, withPrefix } from "../urls.ts";

/** Pages that differ for each visitor, that only forms lead to, or that are unlimited in number. */
const CLOSED = [
  paths.login(),
  paths.logout(),
  paths.register(),
  paths.profile(),
  paths.favorites(),
  paths.notifications(),
  paths.search(),
];

/** Paths without a language. */
const CLOSED_ONCE = ["/api/", paths.session()];

/** The text of robots.txt (RFC 9309). The longer rule wins, so the API's description stays allowed. */
export function robotsText(baseUrl: string): string {
  const lines = [
    "User-agent: *",
    `Allow: ${paths.openapi()}`,
    ...[...CLOSED_ONCE, ...CLOSED, ...CLOSED.flatMap(inEveryLanguage)].map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${absoluteUrl(baseUrl, paths.sitemap())}`,
  ];
  return `${lines.join("\n")}\n`;
}

function inEveryLanguage(path: string): string[] {
  return LANGUAGES.map((language) => withPrefix(`/${language}`, path));
}

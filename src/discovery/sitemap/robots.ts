import { LANGUAGES } from "../../words/i18n/languages.ts";
import { absoluteUrl, paths, withPrefix } from "../../words/urls.ts";

/** Pages that differ for each visitor, that only forms lead to, or whose number is unlimited. */
const CLOSED = [
  paths.login(),
  paths.logout(),
  paths.register(),
  paths.profile(),
  paths.favorites(),
  "/suggest",
  paths.notifications(),
  paths.search(),
];

/** The text of robots.txt (RFC 9309). The longer rule wins, so the API's description stays allowed. */
export function robotsText(baseUrl: string): string {
  const lines = [
    "User-agent: *",
    `Allow: ${paths.openapi()}`,
    "Disallow: /api/",
    ...[paths.session(), ...CLOSED, ...CLOSED.flatMap(inEveryLanguage)].flatMap(listRules),
    "",
    `Sitemap: ${absoluteUrl(baseUrl, paths.sitemap())}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Rules that close a path and the paths below it, but not `/profiles`, which may be a kind of the operator's. */
function listRules(path: string): string[] {
  return ["$", "?", "/"].map((end) => `Disallow: ${path}${end}`);
}

function inEveryLanguage(path: string): string[] {
  return LANGUAGES.map((language) => withPrefix(`/${language}`, path));
}

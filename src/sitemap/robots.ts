import { absoluteUrl, paths } from "../urls.ts";

/** Pages that differ for each visitor, that only forms lead to, or of which there is no end. */
const CLOSED = [
  "/api/",
  paths.login(),
  paths.logout(),
  paths.register(),
  paths.profile(),
  paths.favorites(),
  paths.notifications(),
  paths.session(),
  paths.search(),
];

/** The text of robots.txt (RFC 9309). The longer rule wins, so the API's description stays open. */
export function robotsText(baseUrl: string): string {
  const lines = [
    "User-agent: *",
    `Allow: ${paths.openapi()}`,
    ...CLOSED.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${absoluteUrl(baseUrl, paths.sitemap())}`,
  ];
  return `${lines.join("\n")}\n`;
}

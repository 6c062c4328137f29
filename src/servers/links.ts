/** Schemes that a server's own link may have: web pages, and the launchers that a game's players have installed. */
const SCHEMES = new Set([
  "http:",
  "https:",
  "samp:",
  "omp:",
  "fivem:",
  "redm:",
  "altv:",
  "ragemp:",
  "mtasa:",
  "steam:",
  "minecraft:",
]);

/** A server's address as something to click; undefined when it would do anything else, such as run script. */
export function safeLink(url: string | null): string | undefined {
  const parsed = url === null ? null : URL.parse(url);
  return parsed && SCHEMES.has(parsed.protocol) ? parsed.href : undefined;
}

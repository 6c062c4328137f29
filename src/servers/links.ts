/** Schemes of web pages. */
export const WEB: readonly string[] = ["http:", "https:"];

/** Schemes of game launchers: the ones linked here and accepted by an import. */
export const LAUNCHERS: readonly string[] = [
  "samp:",
  "omp:",
  "fivem:",
  "redm:",
  "altv:",
  "rage:",
  "ragemp:",
  "mtasa:",
  "steam:",
  "minecraft:",
];

/**
 * Links that join a game, by its name in lower-case letters and digits. Minecraft's Java edition, Quake 3 and its
 * relatives register no scheme.
 * https://docs.altv.mp/articles/connectprotocol.html, https://developer.valvesoftware.com/wiki/Steam_browser_protocol
 */
const CONNECT: [RegExp, (address: string) => string][] = [
  [/^(mta|multitheftauto|gtasamta)/, (address) => `mtasa://${address}`],
  [/^(samp|sanandreasmultiplayer|gtasam)/, (address) => `samp://${address}`],
  [/^(openmp|openmultiplayer|gtasao)/, (address) => `omp://${address}`],
  [/^(fivem|gta5f)/, (address) => `fivem://connect/${address}`],
  [/^redm/, (address) => `redm://connect/${address}`],
  [/^(altv|gta5am)/, (address) => `altv://connect/${encodeURIComponent(address)}`],
  [/^(ragemp|ragemultiplayer|gta5r)/, (address) => `rage://v/connect?ip=${address}`],
  [
    /^(cs2|csgo|css|cs16|counterstrike|teamfortress|tf2|garrysmod|gmod|left4dead|l4d2?$|rust$|dayz$|arma|squad$|unturned|insurgency|halflife|sourceengine|source$)/,
    (address) => `steam://connect/${address}`,
  ],
];

/**
 * A host, an IPv4 address or an IPv6 address in brackets, with a port. A launcher cannot interpret anything else in it.
 */
const ADDRESS = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]):([1-9][0-9]{0,4})$/i;

/** A server's web page; undefined for any other scheme, such as javascript:. */
export function webLink(url: string | null): string | undefined {
  return safeLink(url, WEB);
}

/** A link that opens the game on this server: the record's own, else one made from game and address, if possible. */
export function connectLink(server: {
  game: string | null;
  address: string | null;
  url: string | null;
}): string | undefined {
  const own = safeLink(server.url, LAUNCHERS);
  if (own !== undefined || server.address === null || server.game === null) return own;
  const port = ADDRESS.exec(server.address)?.[1];
  if (port === undefined || Number(port) > 65_535) return undefined;
  const game = server.game.toLowerCase().replace(/[^a-z0-9]/g, "");
  return CONNECT.find(([name]) => name.test(game))?.[1](server.address);
}

function safeLink(url: string | null, schemes: readonly string[]): string | undefined {
  const parsed = url === null ? null : URL.parse(url);
  return parsed && schemes.includes(parsed.protocol) ? parsed.href : undefined;
}

import { z } from "zod";
import { refuse, wholeNumber } from "./values.ts";

/** The settings of the server's address. */
export const serverSettings = {
  PORT: wholeNumber(0, 65_535).default(3000).meta({
    description: "The port to listen on; `0` takes a free one.",
  }),
  HOST: z.string().default("127.0.0.1").meta({
    accepts: "an address",
    description: "The address to listen on.",
  }),
  BASE_URL: z.string().transform(parseOrigin).optional().meta({
    accepts: "`https://almanac.example`, without a path",
    unset: "what it listens on",
    description: "The site's public origin. Links, feeds and the sitemap begin with it.",
  }),
  TRUST_PROXY: z.string().transform(parseTrustProxy).default(false).meta({
    accepts: "`1`, or addresses: `10.0.0.0/8, loopback`",
    description: "How many reverse proxies stand before the site, or their addresses.",
  }),
  SHUTDOWN_DELAY_S: wholeNumber(0, 300).default(5).meta({
    description:
      "How many seconds `serve` still answers after SIGTERM, while `/readyz` already reports that it is not ready.",
  }),
};

/** No path prefix: the proxy would have to remove it, and cookies would leak to other paths. */
function parseOrigin(text: string, context: z.RefinementCtx): string {
  const url = URL.parse(text);
  if (!url || !isBareOrigin(url))
    return refuse(context, "must be like https://almanac.example, without a path");
  return url.origin;
}

function isBareOrigin({ protocol, pathname, search, hash, username }: URL): boolean {
  return /^https?:$/.test(protocol) && pathname === "/" && search === "" && hash === "" && username === "";
}

/** The same as in Express: a number of hops, 0 for none, or the proxies' addresses. `true` would trust any client. */
function parseTrustProxy(text: string, context: z.RefinementCtx): boolean | number | string[] {
  if (/^\d{1,2}$/.test(text)) return text === "0" ? false : Number(text);
  const addresses = text.split(",").map((part) => part.trim());
  if (addresses.every((part) => /^(loopback|linklocal|uniquelocal|[0-9a-f:.]+(\/\d{1,3})?)$/i.test(part))) {
    return addresses;
  }
  return refuse(context, "must be a number of proxies (1) or their addresses (10.0.0.0/8, loopback)");
}

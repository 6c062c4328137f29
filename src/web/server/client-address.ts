import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";
import type { Config } from "../../settings/config.ts";
import { isLoopback } from "../../words/safe-urls.ts";

/** How often to warn of an untrusted proxy. */
const TOLD_EVERY_MS = 3_600_000;

const CONSEQUENCE =
  "all of its clients count as one address: one of them can use up everybody's attempts to log in. Set TRUST_PROXY";

/** Whether a proxy is trusted, by its address and how many are in between: Express's "trust proxy fn". */
export type Trust = (address: string | undefined, hop: number) => boolean;

/**
 * The client's address before Express knows the request: the later `req.address`. X-Forwarded-For is read from its
 * end, as long as the writer of an entry is trusted (as in proxy-addr, which Express uses).
 */
export function clientAddress({ headers, socket }: IncomingMessage, trust: Trust): string {
  const written = headers["x-forwarded-for"];
  const peer = socket.remoteAddress ?? "unknown";
  if (written === undefined) return peer;
  const hops = String(written)
    .split(",")
    .map((hop) => hop.trim())
    .filter((hop) => hop !== "")
    .toReversed();
  let address = peer;
  for (const [hop, before] of hops.entries()) {
    if (!trust(address, hop)) break;
    address = before;
  }
  return withoutPort(address);
}

/**
 * The address from X-Forwarded-For without the client's port, which some proxies add (`203.0.113.7:50001`,
 * `[2001:db8::1]:50001`) and which differs with each connection.
 */
export function withoutPort(written: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/s.exec(written) ?? [];
  return bracketed ?? plain ?? written;
}

/**
 * The network that counts as one caller: the whole IPv4 address, or the /64 of an IPv6 address. A customer gets at
 * least that (RFC 6177) and can use all of its 2^64 addresses. An IPv4 address mapped to IPv6 counts as IPv4.
 * Anything else stays unchanged.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

/**
 * Warns once an hour that requests seem to come through a proxy that TRUST_PROXY does not name. It is a guess, because
 * any client can send the header.
 */
export function warnOfUntrustedProxy(log: Logger): RequestHandler {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (req, _res, next) => {
    if (Date.now() - toldAt >= TOLD_EVERY_MS && isForwardedByStranger(req)) {
      toldAt = Date.now();
      const peer = req.socket.remoteAddress;
      log.warn(
        { peer },
        `X-Forwarded-For comes from ${peer}, which is not trusted. If that is a proxy, ${CONSEQUENCE}.`,
      );
    }
    next();
  };
}

/** Whether a request claims to be forwarded but comes from an untrusted peer. */
export function isForwardedByStranger(req: Request): boolean {
  if (req.headers["x-forwarded-for"] === undefined) return false;
  // Express's own function, compiled from "trust proxy".
  const trusts: (address: string | undefined, hop: number) => boolean = req.app.get("trust proxy fn");
  return !trusts(req.socket.remoteAddress, 0);
}

/**
 * A warning if there seems to be a proxy although TRUST_PROXY is not set, else undefined. The site serves only plain
 * HTTP. So if BASE_URL has https or another port or machine, a proxy must be in between.
 */
export function findProxyWarning(
  { baseUrl, trustProxy }: Pick<Config, "baseUrl" | "trustProxy">,
  listening: string,
): string | undefined {
  if (baseUrl === undefined || trustProxy !== false) return undefined;
  const [seen, own] = [new URL(baseUrl), new URL(listening)];
  const isElsewhere = seen.port !== own.port || (isLoopback(own.hostname) && !isLoopback(seen.hostname));
  if (seen.protocol !== "https:" && !isElsewhere) return undefined;
  return `BASE_URL is ${baseUrl} and the site listens at ${listening}, but TRUST_PROXY is not set. If a proxy is in between, ${CONSEQUENCE}.`;
}

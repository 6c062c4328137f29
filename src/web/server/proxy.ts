import type { Request, RequestHandler } from "express";
import type { Logger } from "pino";
import type { Config } from "../../settings/config.ts";

/** How often to warn of an untrusted proxy. */
const TOLD_EVERY_MS = 3_600_000;

const CONSEQUENCE =
  "all of its clients count as one address: one of them can use up everybody's attempts to log in. Set TRUST_PROXY";

/**
 * Warns once an hour that requests seem to come through a proxy that TRUST_PROXY does not name. A guess, because
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
 * HTTP, so if BASE_URL has https or another port or machine, a proxy must be in between.
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

/** True if the host of an address is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

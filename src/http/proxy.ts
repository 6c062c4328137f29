import type { Request, RequestHandler } from "express";
import type { Logger } from "pino";
import type { Config } from "../config.ts";

/** So often one line tells of a proxy that is not trusted. */
const TOLD_EVERY_MS = 3_600_000;

const CONSEQUENCE =
  "all of its clients count as one address: one of them can use up everybody's attempts to log in. Set TRUST_PROXY";

/**
 * Says loudly, once an hour, that requests come through a proxy which TRUST_PROXY does not name. Anybody may send the
 * header, so it is a guess.
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

/** Whether a request says that it was forwarded, and whoever is connected is not trusted with that. */
export function isForwardedByStranger(req: Request): boolean {
  if (req.headers["x-forwarded-for"] === undefined) return false;
  // Express' own: compiled from "trust proxy".
  const trusts: (address: string | undefined, hop: number) => boolean = req.app.get("trust proxy fn");
  return !trusts(req.socket.remoteAddress, 0);
}

/**
 * What speaks for a proxy in front although TRUST_PROXY is not set: the site listens to plain HTTP only, so what browsers
 * see at an https address, or at another port or machine, is a proxy. Undefined where nothing does.
 */
export function proxyDoubt(
  { baseUrl, trustProxy }: Pick<Config, "baseUrl" | "trustProxy">,
  listening: string,
): string | undefined {
  if (baseUrl === undefined || trustProxy !== false) return undefined;
  const [seen, own] = [new URL(baseUrl), new URL(listening)];
  const isElsewhere = seen.port !== own.port || (isLoopback(own.hostname) && !isLoopback(seen.hostname));
  if (seen.protocol !== "https:" && !isElsewhere) return undefined;
  return `BASE_URL is ${baseUrl} and the site listens at ${listening}, but TRUST_PROXY is not set. If a proxy is in between, ${CONSEQUENCE}.`;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

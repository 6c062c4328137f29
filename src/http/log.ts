import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { pinoHttp } from "pino-http";

/**
 * One log line a request, and an id for it (`X-Request-Id`) that error answers repeat. Credentials never reach the
 * log: headers are left out, and the value of `api_key` is cut out of the address.
 */
export function requestLog(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: (_req, res) => {
      const id = randomUUID();
      res.setHeader("X-Request-Id", id);
      return id;
    },
    serializers: {
      req: (req) => ({ id: req.id, method: req.method, url: withoutApiKey(req.url), ip: req.remoteAddress }),
      res: (res) => ({ status: res.statusCode }),
    },
    // What failed is logged where it was caught (logFailure); pino-http would add an error of its own making.
    customErrorObject: (_req, _res, _error, fields) => ({ ...fields, err: undefined }),
    customLogLevel: (_req, res, error) => {
      if (error || res.statusCode >= 500) return "error";
      return "debug";
    },
  });
}

/** The address with every `api_key` value replaced, also where the parameter's name is percent-encoded. */
export function withoutApiKey(url: string): string {
  const start = url.indexOf("?");
  if (start < 0) return url;
  const parameters = url.slice(start + 1).split("&");
  return `${url.slice(0, start)}?${parameters.map(hideIfKey).join("&")}`;
}

function hideIfKey(parameter: string): string {
  const name = parameter.split("=", 1)[0] ?? "";
  const decoded = new URLSearchParams(`${name}=`).keys().next().value;
  return decoded?.toLowerCase() === "api_key" ? `${name}=***` : parameter;
}

import { createHash, timingSafeEqual } from "node:crypto";
import { Router } from "express";
import { mountReadOnly } from "../server/methods.ts";
import type { Metrics } from "./metrics.ts";

/** `GET /metrics` with the token (`Authorization: Bearer …`, RFC 6750, section 2.1), else 401. */
export function metricsRoute(metrics: Metrics, token: string): Router {
  const router = Router();
  mountReadOnly(router, "/", async (req, res) => {
    res.set("Cache-Control", "no-store");
    if (isToken(req.get("authorization"), token)) {
      res.type(metrics.registry.contentType).send(await metrics.read());
      return;
    }
    res.set("WWW-Authenticate", 'Bearer realm="metrics"').status(401).type("text/plain");
    res.send("Send the token of METRICS_TOKEN: Authorization: Bearer …\n");
  });
  return router;
}

function isToken(header: string | undefined, token: string): boolean {
  const sent = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

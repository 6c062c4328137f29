import { Router } from "express";
import { mountReadOnly } from "./methods.ts";

/** What a site needs to serve. */
export interface Readiness {
  /** Whether the database answers; within some seconds. */
  database(): Promise<boolean>;
  /** Whether searches of each kind can be answered. */
  search(): Readonly<Record<string, boolean>>;
  /** Aborts when the process is about to end. */
  readonly stopping: AbortSignal;
}

/**
 * `GET /healthz`: 200 as long as the process answers. Restarting it would not bring the database back, and searches are
 * answered without it.
 */
export function healthRoute(): Router {
  const router = Router();
  mountReadOnly(router, "/", (_req, res) => void res.set("Cache-Control", "no-store").json({ status: "ok" }));
  return router;
}

/**
 * `GET /readyz`: 200 while the site can serve all that it has, else 503 with what is missing. For load balancers, which
 * then send requests to another process.
 */
export function readinessRoute({ database, search, stopping }: Readiness): Router {
  const router = Router();
  mountReadOnly(router, "/", async (_req, res) => {
    const state = { database: await database(), search: search(), stopping: stopping.aborted };
    const isReady = state.database && Object.values(state.search).every(Boolean) && !state.stopping;
    res.set("Cache-Control", "no-store");
    if (!isReady) res.set("Retry-After", "5").status(503);
    res.json({ status: isReady ? "ready" : "not ready", ...state });
  });
  return router;
}

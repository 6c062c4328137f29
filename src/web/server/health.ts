import { Router } from "express";
import { mountReadOnly } from "./methods.ts";

export interface Readiness {
  /** Whether the database responds; resolves within seconds. */
  database(): Promise<boolean>;
  /** Maps each kind to whether it can be searched. */
  search(): Readonly<Record<string, boolean>>;
  /** Aborts when the process is about to end. */
  readonly stopping: AbortSignal;
}

/** `GET /healthz`: 200 while the process responds, even without the database, which a restart would not bring back. */
export function healthRoute(): Router {
  const router = Router();
  mountReadOnly(router, "/", (_req, res) => void res.set("Cache-Control", "no-store").json({ status: "ok" }));
  return router;
}

/** `GET /readyz`: 200 while everything works, else 503 with what is missing, for load balancers. */
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

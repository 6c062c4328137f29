import { Router } from "express";
import type { Knex } from "knex";
import { mountReadOnly } from "./read-only.ts";

/** `GET /healthz`: 200 while the database answers, 503 while it does not. For health checks, not for people. */
export function healthRoute(db: Knex): Router {
  const router = Router();
  mountReadOnly(router, "/", async (_req, res) => {
    const alive = await db.raw("select 1").then(
      () => true,
      () => false,
    );
    res.set("Cache-Control", "no-store");
    if (alive) res.json({ status: "ok" });
    else res.set("Retry-After", "5").status(503).json({ status: "database away" });
  });
  return router;
}

import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { AppContext } from "../../http/context.ts";
import { notFound } from "../../http/errors.ts";
import { parseInput } from "../../http/input.ts";
import { id, oneOf } from "../../http/params.ts";
import { sendBody } from "../../http/send.ts";
import { paths } from "../../urls.ts";
import { loadServer } from "../queries.ts";
import { historyCsv } from "./csv.ts";
import { RANGE_NAMES } from "./ranges.ts";

const csvInput = z.object({ range: oneOf(RANGE_NAMES).default("24h") });

/** A server's history as a file. */
export function historyRoutes({ db }: Pick<AppContext, "db">): Router {
  const router = Router({ caseSensitive: true });
  router.get(`${paths.servers()}/:id/history.csv`, downloadHistory(db));
  return router;
}

function downloadHistory(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    if (!serverId.success) throw notFound("server");
    const { range } = parseInput(csvInput, req);
    const { times, server } = await loadServer(db, serverId.data, range);
    if (!server) throw notFound("server");
    res.attachment(`${fileName(server.id)}-${range}.csv`);
    const body = historyCsv(times, server.history);
    await sendBody(req, res, { type: "text/csv", body, cacheControl: "public, no-cache" });
  };
}

/** An id may hold what no file system takes. */
function fileName(serverId: string): string {
  return serverId.replace(/[^\p{L}\p{N}_-]+/gu, "-");
}

import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { sendBody } from "../../web/answers/send.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { csvLine } from "../../web/request/csv.ts";
import { parseInput } from "../../web/request/input.ts";
import { id, oneOf } from "../../web/request/params.ts";
import { openToAnyOrigin } from "../../web/server/cross-origin.ts";
import { paths } from "../../words/urls.ts";
import { LIVE, loadServer } from "../queries.ts";
import { type History, RANGE_NAMES } from "./ranges.ts";

export const csvInput = z.object({ range: oneOf(RANGE_NAMES).default("24h") });

/** A server's history as a file. */
export function historyRoutes({ db }: Pick<BaseContext, "db">): Router {
  const router = Router({ caseSensitive: true });
  const path = `${paths.servers()}/:id/history.csv`;
  router.all(path, openToAnyOrigin).get(path, downloadHistory(db));
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
    await sendBody(req, res, { type: "text/csv", body, cacheControl: "public, no-cache", ...LIVE });
  };
}

/** An id may hold characters that file systems refuse. */
function fileName(serverId: string): string {
  return serverId.replace(/[^\p{L}\p{N}_-]+/gu, "-");
}

const HEADER = ["time", "online", "online_min", "online_max", "queue", "queue_max", "up"];

/**
 * A history as CSV (RFC 4180): a line for each bucket with its start in UTC. Unknown figures are empty, and `up` is a
 * share of 0 to 1.
 * @param times starts of the buckets, in epoch seconds
 */
function historyCsv(times: readonly number[], history: History): string {
  const { online, onlineMin, onlineMax, queue, queueMax, up } = history;
  const lines = times.map((time, place) => [
    new Date(time * 1000).toISOString(),
    ...[online, onlineMin, onlineMax, queue, queueMax].map((column) => column[place] ?? ""),
    shareText(up[place] ?? null),
  ]);
  return [HEADER, ...lines].map((cells) => csvLine(cells)).join("");
}

/** Rounds to a hundredth of a percent. */
function shareText(share: number | null): string {
  return share === null ? "" : String(Math.round(share * 10_000) / 10_000);
}

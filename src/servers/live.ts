import type { RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import type { Db } from "../db/connect.ts";
import { notFound } from "../web/pages/errors.ts";
import { renderPart, sendPart } from "../web/pages/page.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import { ageText } from "./ages.ts";
import { wordsOf } from "./locale-words.ts";
import { findServerState, listServerStates } from "./queries.ts";
import { lastFigures } from "./server-page.ts";
import { totalsOf, totalsText } from "./totals.ts";

/** Runs the handler for the script of an open page, which requests `?live=1`; passes other requests on. */
export function whenLive<Params>(handler: RequestHandler<Params>): RequestHandler<Params> {
  return (req, res, next) => (req.query.live === "1" ? handler(req, res, next) : next());
}

/**
 * The parts of the list that change while it is open, of all servers. They cost little more than /api/online, so that
 * open tabs need no admission: neither histories nor favorites are read, and what many tabs ask for is rendered once.
 */
export function showLiveList(db: Db): RequestHandler {
  /** By language and time zone: 500 servers take ten times as long to render as to read. */
  const rendered = new LRUCache<string, { state: string; body: string }>({ max: 20 });
  return async (req, res) => {
    const { generatedAt, servers } = await listServerStates(db);
    const locale = localeOf(req);
    const key = `${locale.language} ${req.viewer?.timeZone ?? ""}`;
    const state = JSON.stringify(servers);
    const known = rendered.get(key);
    if (known?.state === state) return sendPart(req, res, known.body);
    const body = await renderPart(req, res, "servers/live-list", {
      servers,
      totals: totalsText(totalsOf(servers), wordsOf(locale)),
      newest: generatedAt,
      // The script keeps the ages of remembered parts current.
      age: ageSince(new Date(), locale),
    });
    rendered.set(key, { state, body });
    return sendPart(req, res, body);
  };
}

/** The same parts of a server's page. */
export function showLiveServer(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    const server = serverId.success ? await findServerState(db, serverId.data) : undefined;
    if (!server) throw notFound("server");
    const locale = localeOf(req);
    const age = ageSince(new Date(), locale);
    const data = { server, lastFigures: lastFigures(server, locale), age };
    await sendPart(req, res, await renderPart(req, res, "servers/live-server", data));
  };
}

/** Writes how long ago a time was when the page was made; script keeps it true. */
export function ageSince(now: Date, locale: Locale): (time: Date) => string {
  const words = wordsOf(locale);
  return (time) => ageText(now.getTime() - time.getTime(), words);
}

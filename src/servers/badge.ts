import type * as badgeMaker from "badge-maker";
import { type RequestHandler, Router } from "express";
import type { Db } from "../db/connect.ts";
import { lazyPackage } from "../settings/lazy-package.ts";
import { sendBody } from "../web/answers/send.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { notFound } from "../web/pages/errors.ts";
import { languageVary, localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import { absoluteUrl, type Paths, paths } from "../words/urls.ts";
import { isFull } from "./listing.ts";
import { createWords, type LocaleWords } from "./locale-words.ts";
import { findServerState, LIVE, type ServerState } from "./queries.ts";

const loadBadgeMaker = lazyPackage<typeof badgeMaker>("badge-maker");

/** Servers are polled once a minute. */
const CACHE_CONTROL = "public, max-age=60, stale-if-error=600";
const LONGEST_NAME = 60;

/** A server's state and players as a picture for other sites: `GET /servers/<id>/badge.svg`. */
export function badgeRoutes({ db }: Pick<BaseContext, "db">): Router {
  const router = Router({ caseSensitive: true });
  router.get(`${paths.servers()}/:id/badge.svg`, showBadge(db));
  return router;
}

function showBadge(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const serverId = id().safeParse(req.params.id);
    const server = serverId.success ? await findServerState(db, serverId.data) : undefined;
    if (!server) throw notFound("server");
    await sendBody(req, res, {
      type: "image/svg+xml",
      body: drawBadge(server, createWords(localeOf(req))),
      cacheControl: CACHE_CONTROL,
      vary: languageVary(req),
      ...LIVE,
    });
  };
}

function drawBadge(server: ServerState & { name: string }, words: LocaleWords): string {
  const { status } = server;
  const colours = { online: isFull(server) ? "orange" : "brightgreen", offline: "red", unknown: "lightgrey" };
  return loadBadgeMaker().makeBadge({
    label: shortened(server.name),
    message: status === "online" ? renderPlayers(server, words) : words.t(`common.status.${status}`),
    color: colours[status],
  });
}

function renderPlayers({ online, max_online: maximum }: ServerState, { t, number }: LocaleWords): string {
  if (online === null) return t("common.status.online");
  return maximum === null
    ? t("servers.online", { figure: number(online) })
    : `${number(online)} / ${number(maximum)}`;
}

function shortened(name: string): string {
  const letters = [...name.replace(/\p{Cc}/gu, " ")];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join("")}…` : letters.join("");
}

/** The badge as a link to the server's page, ready to paste: for web pages, READMEs and forums. */
export function badgeCodes(
  { id: serverId, name }: { id: string; name: string },
  own: Paths,
  baseUrl: string,
) {
  const page = absoluteUrl(baseUrl, own.server(serverId));
  const picture = absoluteUrl(baseUrl, own.serverBadge(serverId));
  // Removes all characters that are markup in any of the three.
  const text = name.replace(/[[\]<>"&\\`\p{Cc}\s]+/gu, " ").trim();
  return [
    { id: "badge-html", name: "HTML", code: `<a href="${page}"><img src="${picture}" alt="${text}"></a>` },
    { id: "badge-markdown", name: "Markdown", code: `[![${text}](${picture})](${page})` },
    { id: "badge-bbcode", name: "BBCode", code: `[url=${page}][img]${picture}[/img][/url]` },
  ];
}

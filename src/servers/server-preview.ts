import type { RequestHandler } from "express";
import type { PreviewCard } from "../discovery/previews/card.ts";
import { type PreviewSite, previewGlyph, previewLook } from "../discovery/previews/look.ts";
import { previewLocale, previewName, previewPath } from "../discovery/previews/preview.ts";
import type { Previews } from "../discovery/previews/previews.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { localeOf } from "../web/request/locale.ts";
import { id } from "../web/request/params.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { Paths } from "../words/urls.ts";
import { loadServer, type Server } from "./queries.ts";
import { kindOf } from "./server-page.ts";

/** `GET /servers/<id>/preview/<version>.jpeg`: the picture that chats show for a link to a server. */
export function showServerPreview({
  db: database,
  previews,
}: Pick<BaseContext, "db"> & { previews: Previews }): RequestHandler<{ id: string; file: string }> {
  return previews.serve(async (req) => {
    const wanted = id().safeParse(req.params.id);
    if (!wanted.success) return undefined;
    const { server, times, intervalS } = await loadServer(await snapshotFor(req, database), wanted.data);
    if (!server) return undefined;
    const card = serverCard(req.site, server, { times, intervalS }, localeOf(req).language);
    return { card, path: previewPath(card, serverPreviewPath(server.id)) };
  });
}

/** The address of a server's picture. */
export function serverPreviewPath(id: string) {
  return (paths: Paths, file: string) => paths.serverPreview(id, file);
}

/**
 * A preview of a server: its last 24 hours and their last figure. Chats keep the picture for days, so it shows the
 * figure's time. It leaves out the current five minutes, so that it changes every five minutes at most.
 */
export function serverCard(
  site: PreviewSite,
  server: Server,
  { times, intervalS }: { times: readonly number[]; intervalS: number },
  language: Language,
): PreviewCard {
  const locale = previewLocale(language);
  const online = server.history.online.slice(0, -1);
  const up = server.history.up.slice(0, -1);
  const last = up.findLastIndex((share) => share !== null);
  const until = new Date(((times[last] ?? 0) + intervalS) * 1000);
  const count = online[last] ?? null;
  const { t, format } = locale;
  return {
    language,
    kicker: [t("servers.preview.server"), kindOf(server, locale)].filter(Boolean).join(" · "),
    name: previewName([server.name], server.id),
    figure:
      last === -1
        ? undefined
        : count === null
          ? { text: t("common.status.offline") }
          : playersFigure(count, server, locale),
    facts: [],
    note: last === -1 ? undefined : t("servers.preview.at", { time: format.time(until) }),
    chart: last === -1 ? undefined : meansOfPairs(online),
    glyphs: [previewGlyph(site, "servers", null)],
    look: previewLook(site),
  };
}

function playersFigure(
  count: number,
  { max_online: maximum }: Server,
  { t, format }: ReturnType<typeof previewLocale>,
) {
  const unit =
    maximum === null
      ? t("servers.preview.players", { count })
      : t("servers.preview.of_players", { count: maximum, maximum: format.number(maximum) });
  return { text: format.number(count), unit };
}

/** Halves the counts; they are still four pixels apart. */
function meansOfPairs(counts: readonly (number | null)[]): (number | null)[] {
  return Array.from({ length: Math.ceil(counts.length / 2) }, (_, pair) => {
    const known = counts.slice(2 * pair, 2 * pair + 2).filter((count) => count !== null);
    return known.length === 0
      ? null
      : Math.round(known.reduce((sum, count) => sum + count, 0) / known.length);
  });
}

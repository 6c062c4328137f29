import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { oneOf, readNumber, wholeNumber } from "../../web/request/params.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { translateText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { paths, withQuery } from "../../words/urls.ts";
import type { ImportKind } from "../import/kinds.ts";
import { recordPath } from "../read/kinds.ts";
import { fetchProblem } from "./fetch-file.ts";
import { CHANGES_SHOWN, type ListedImport, listChanges, listImports } from "./queries.ts";
import { changeSource, listSources, SCHEDULES, SOURCE_ACTIONS, type Source, USUAL_HOURS } from "./sources.ts";
import { hasKind, UndoRefusedError, undoImport } from "./undo.ts";

const PAGE_SIZE = 50;
const MOST = 999_999_999_999_999;
const REFRESH_S = "3";

export const importsInput = z.object({ before: wholeNumber(1, MOST).optional() });

/** Where operators see what was imported and undo it, and the sources that are fetched. */
export function importPages({ slowQueryDb: db }: Pick<BaseContext, "slowQueryDb">): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.operatorImports()).get(requireOperator, showImports(db)).all(refuseOthers);
  const source = `${paths.operatorImports()}/sources/:id`;
  router
    .route(source)
    .get(requireOperator, showFetch(db))
    .post(readOperatorForm, actOnSource(db))
    .all(refuseOthers);
  router
    .route(`${paths.operatorImports()}/:id`)
    .get(requireOperator, (req, res) => renderImport(db, req, res))
    .post(readOperatorForm, undo(db))
    .all(refuseOthers);
  return router;
}

function showImports(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => {
    const { before } = parseInput(importsInput, req);
    const locale = localeOf(req);
    const { t, paths } = locale;
    const found = await listImports(db, { before, limit: PAGE_SIZE + 1 });
    const shown = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? shown.at(-1)?.id : undefined;
    const sources = (await listSources(db)).filter(({ url }) => url !== null);
    const head = { title: t("imports.title"), noindex: true, styles: ["home/operator"] };
    await renderPage(req, res, "exchange/imports/list", head, {
      sources: sources.map((each) => describeSource(each, locale)),
      schedules: scheduleChoices(locale),
      imports: shown.map((each) => describeImport(each, locale)),
      older: last && withQuery(paths.operatorImports(), { before: last }),
    });
  };
}

/** Waits for a fetch on a page without a form, as a reload would lose what is typed; then the list shows the outcome. */
function showFetch(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => {
    const [source] = await listSources(db, { id: readNumber(req.params.id) });
    if (!source?.url) throw notFound("page");
    const { paths } = localeOf(req);
    if (!source.is_fetching) return res.redirect(303, `${paths.operatorImports()}#source-${source.id}`);
    res.set("Refresh", REFRESH_S);
    const head = { title: source.name, noindex: true, styles: ["home/operator"] };
    await renderPage(req, res, "exchange/imports/fetching", head, { title: source.name, url: source.url });
  };
}

function describeImport(found: ListedImport, locale: Locale) {
  const { t } = locale;
  return {
    ...found,
    title: kindLabel(found.kind, t),
    who: found.user_name ?? (found.via === "command" ? t("audit.via.command") : "—"),
    counts:
      found.merged_from !== null && found.removed > 0
        ? t("imports.merged", { from: found.merged_from, into: found.merged_into })
        : countsText(found, locale) || t("imports.only_source"),
  };
}

type Counts = Partial<Record<"added" | "changed" | "removed" | "words", number | null>>;

function countsText({ added, changed, removed, words }: Counts, { t, format }: Locale): string {
  const counts = [
    added && t("imports.added", { figure: format.number(added) }),
    changed && t("imports.changed", { figure: format.number(changed) }),
    removed && t("imports.removed", { figure: format.number(removed) }),
    words && t("imports.words", { figure: format.number(words) }),
  ];
  return counts.filter(Boolean).join(", ");
}

function describeSource(source: Source, locale: Locale) {
  const { kind, name, url, settings, outcome, paused } = source;
  const { t, language, paths } = locale;
  const refusals: Record<string, string> = { file: t("imports.fetch.file"), gone: t("imports.fetch.gone") };
  const problem = outcome?.reason && (refusals[outcome.reason] ?? fetchProblem(outcome.reason, t));
  return {
    ...source,
    title: kindLabel(kind, t),
    hours: settings.everyHours ?? 0,
    isStopped: paused !== null && paused !== "operator",
    problem,
    lines: (outcome?.lines ?? []).map((line) => translateText(line, language)),
    counts: countsText(source, locale) || t("imports.fetch.unchanged"),
    settingsUrl: withQuery(paths.operatorNewImport(), { kind, source: name, url: url ?? "" }),
  };
}

/** The choices of how often a source is fetched. */
export function scheduleChoices({ t }: Pick<Locale, "t">): [string, string][] {
  return Object.entries(SCHEDULES).map(([hours, word]) => [hours, t(`imports.fetch.every.${word}`)]);
}

export function readHours(text: string): number {
  return Object.hasOwn(SCHEDULES, text) ? Number(text) : USUAL_HOURS;
}

const sourceForm = z.object({ action: oneOf(SOURCE_ACTIONS), hours: z.string().default("") });

function actOnSource(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => {
    const { action, hours } = parseInput(sourceForm, req);
    const { t, paths } = localeOf(req);
    const change = { action, hours: readHours(hours) };
    if (!(await changeSource(db, readNumber(req.params.id), change, actorOf(req)))) throw notFound("page");
    if (action === "fetch") return res.redirect(303, paths.operatorSource(readNumber(req.params.id)));
    await leaveFlash(req, action === "delete" ? t("audit.action.source.deleted") : t("webhooks.flash.saved"));
    res.redirect(303, paths.operatorImports());
  };
}

/** What a kind is called, also one that the site no longer has. */
export function kindLabel(kind: ImportKind, t: Locale["t"]): string {
  if (isCatalogueKind(kind)) return t(`kinds.${kind}.many`);
  const others: Record<string, string> = {
    servers: t("servers.title"),
    "donate-items": t("donate.shop.title"),
    discounts: t("operator.discounts.title"),
    relations: t("relations.title"),
  };
  return others[kind] ?? kind;
}

async function renderImport(
  db: BaseContext["db"],
  req: Request,
  res: Response,
  { status, problem }: { status?: number; problem?: string } = {},
): Promise<void> {
  const locale = localeOf(req);
  const { t, format } = locale;
  const found = await findImport(db, req);
  const { id, kind } = found;
  const none = { touched: 0, records: [] };
  const changes = (await hasKind(db, kind)) ? await listChanges(db, id, kind) : none;
  const title = t("imports.one", { id });
  const head = { title, noindex: true, styles: ["home/operator"], ...(status && { status }) };
  await renderPage(req, res, "exchange/imports/one", head, {
    ...{ title, problem, changes },
    found: describeImport(found, locale),
    first: t("imports.first", { figure: format.number(CHANGES_SHOWN) }),
    url: (id: string) =>
      kind === "discounts" || kind === "relations" ? undefined : recordPath(locale.paths, kind, id),
  });
}

async function findImport(db: BaseContext["db"], req: Request): Promise<ListedImport> {
  const [found] = await listImports(db, { id: readNumber(req.params.id), limit: 1 });
  if (!found) throw notFound("page");
  return found;
}

function undo(db: BaseContext["db"]): RequestHandler {
  return async (req, res) => {
    const { id } = await findImport(db, req);
    const { t, format, language, paths } = localeOf(req);
    try {
      const alsoTouched = req.body?.touched === "1";
      const undone = await undoImport(db, id, { by: actorOf(req), alsoTouched });
      const { restored, left } = undone;
      const done = t("imports.undone", { count: restored, figure: format.number(restored) });
      const rest = left > 0 ? ` ${t("imports.left", { count: left, figure: format.number(left) })}` : "";
      await leaveFlash(req, done + rest);
      res.redirect(303, paths.operatorImport(undone.id));
    } catch (error) {
      if (!(error instanceof UndoRefusedError)) throw error;
      await renderImport(db, req, res, { status: 409, problem: translateText(error.said, language) });
    }
  };
}

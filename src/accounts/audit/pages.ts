import { type RequestHandler, Router } from "express";
import { AUDITED_ACTIONS } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { sendCsv } from "../../web/answers/send-stream.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import { CSV_MARK, chooseCsvStyle, csvLine } from "../../web/request/csv.ts";
import { readForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { isCatalogueKind } from "../../words/kinds/kinds.ts";
import { type Paths, paths, withQuery } from "../../words/urls.ts";
import { type AuditLine, listActions } from "../queries.ts";
import { type AuditFilter, auditInput } from "./schemas.ts";

const PAGE_SIZE = 50;
/** How many lines of the file one query reads. */
const BATCH = 500;

const NO_FILTER: AuditFilter = { who: "", subject: "" };

/** The audit log for operators, as a page and as a file. */
export function auditPages({ db }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.operatorAudit()).get(requireOperator, showAudit(db)).all(refuseOthers);
  router.route(paths.operatorAuditFile()).get(requireOperator, sendAuditFile(db)).all(refuseOthers);
  return router;
}

function showAudit(db: Db): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const { t, format } = locale;
    const { values: filter, errors = {} } = readForm(auditInput, req);
    const options = { timeZone: format.timeZone, limit: PAGE_SIZE + 1 };
    const lines = filter ? await listActions(db, filter, options) : [];
    const shown = lines.slice(0, PAGE_SIZE);
    const last = lines.length > PAGE_SIZE ? shown.at(-1)?.id : undefined;
    const { before, ...rest } = filter ?? NO_FILTER;
    const isWrong = Object.keys(errors).length > 0;
    const head = {
      title: t("audit.title"),
      noindex: true,
      styles: ["home/operator"],
      ...(isWrong && { status: 400 }),
    };
    await renderPage(req, res, "accounts/audit/list", head, {
      lines: shown.map((line) => ({ ...describeLine(line, locale), href: subjectUrl(line, locale.paths) })),
      filter: isWrong ? { ...NO_FILTER, ...typedFilter(req.query) } : rest,
      errors,
      actions: AUDITED_ACTIONS.map((action) => [action, t(`audit.action.${action}`)]),
      newest: before === undefined ? undefined : withQuery(locale.paths.operatorAudit(), rest),
      older: last && withQuery(locale.paths.operatorAudit(), { ...rest, before: last }),
      fileUrl: withQuery(locale.paths.operatorAuditFile(), rest),
    });
  };
}

function typedFilter(query: Record<string, unknown>): Record<string, string> {
  const fields = ["who", "action", "subject", "from", "until"].map((name) => [name, query[name]]);
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === "string"),
  );
}

/** Every action that matches the filter, as CSV. */
function sendAuditFile(db: Db): RequestHandler {
  return async (req, res) => {
    const filter = parseInput(auditInput, req);
    const locale = localeOf(req);
    const file = { name: "audit-log.csv", failure: "The audit log's file broke off" };
    await sendCsv(req, res, file, fileParts(db, filter, locale));
  };
}

async function* fileParts(db: Db, filter: AuditFilter, { language, format }: Locale): AsyncGenerator<string> {
  const style = chooseCsvStyle(language);
  const columns = [
    "id",
    "at",
    "user",
    "via",
    "ip",
    "request_id",
    "action",
    "subject",
    "before",
    "after",
    "note",
  ];
  yield CSV_MARK + csvLine(columns, style);
  for (let before = filter.before; ; ) {
    const options = { timeZone: format.timeZone, limit: BATCH };
    const lines = await listActions(db, { ...filter, before }, options);
    yield lines.map((line) => csvLine(renderCells(line), style)).join("");
    before = lines.at(-1)?.id;
    if (lines.length < BATCH) return;
  }
}

function renderCells({
  id,
  at,
  user_name,
  via,
  ip,
  request_id,
  action,
  subject,
  note,
  ...states
}: AuditLine): string[] {
  const json = (state: object | null) => (state === null ? "" : JSON.stringify(state));
  const who = [user_name ?? "", via, ip ?? "", request_id ?? ""];
  return [
    `${id}`,
    at.toISOString(),
    ...who,
    action,
    subject ?? "",
    json(states.before),
    json(states.after),
    note ?? "",
  ];
}

/** A line for people: each changed field with both of its values. */
function describeLine({ before, after, action, ...line }: AuditLine, { t }: Locale) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    ...line,
    action: t(`audit.action.${action}`),
    changes: fields.map((field) => ({
      field,
      before: textOf(before?.[field]),
      after: textOf(after?.[field]),
    })),
  };
}

/** The page of an action's subject, if it has one. */
function subjectUrl({ subject }: AuditLine, local: Paths): string | undefined {
  const [, kind = "", id = ""] = /^([^/]+)\/(.+)$/s.exec(subject ?? "") ?? [];
  if (isCatalogueKind(kind)) return local.entry(kind, id);
  if (kind === "discounts") return local.operatorDiscount(id);
  if (kind === "shop" || kind === "donate-items") return local.donateItem(id);
  return kind === "servers" ? local.server(id) : undefined;
}

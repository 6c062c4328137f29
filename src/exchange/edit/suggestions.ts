import type { Request, RequestHandler, Response } from "express";
import { requestAddress, tooOftenText } from "../../accounts/limits.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage, requireLogin } from "../../web/pages/page.ts";
import { confirmOperator } from "../../web/request/form.ts";
import { localeOf } from "../../web/request/locale.ts";
import { readNumber } from "../../web/request/params.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isCatalogueKind, type ReportedKind } from "../../words/kinds/kinds.ts";
import { withQuery } from "../../words/urls.ts";
import type { CurrentRecord } from "../write/current-queries.ts";
import { type EditContext, recordIn } from "./context.ts";
import { type RecordField, readChanges, type Typed, textOf, typedIn } from "./fields.ts";
import {
  findRecord,
  formHead,
  NOTE_AT_MOST,
  readFields,
  recordName,
  renderForm,
  showFields,
  vocabularyOf,
} from "./form-page.ts";
import {
  addSuggestion,
  decideSuggestion,
  describeReporter,
  findSuggestion,
  reportedKinds,
  type Suggestion,
  WAITING_AT_MOST,
} from "./suggestion-queries.ts";

const TEXT_AT_MOST = 1_000;
/** Letters of all corrected values together: a long description in a few languages. */
const FIELDS_AT_MOST = 60_000;

interface SuggestionState {
  readonly status?: number;
  readonly typed?: Typed;
  readonly errors?: Record<string, string>;
  readonly problem?: string;
}

/** The record that a path names, which users may report mistakes of. @throws HttpError 404 */
function reportedIn(req: Request): { kind: ReportedKind; id: string } {
  const { kind, id } = recordIn(req);
  const reported = reportedKinds().find((each) => each === kind);
  if (!reported) throw notFound("page");
  return { kind: reported, id };
}

/**
 * Requires a log-in, unless the operator lets visitors report. The form of a user requires it even then, because the
 * report of a session that has ended would lose its reporter.
 */
export function requireReporter({ config }: EditContext): RequestHandler {
  return (req, res, next) => {
    if (config.anonymousReports && !typedIn(req.body).account) next();
    else requireLogin(req, res, next);
  };
}

/** `GET /suggest/:kind/:id`: the form of a record, or that a visitor has sent it. */
export function showSuggestionForm(context: EditContext): RequestHandler {
  return (req, res) => renderSuggestionForm(context, req, res, reportedIn(req));
}

/** `POST /suggest/:kind/:id`: stores what was changed for an editor to look at. */
export function sendSuggestion(context: EditContext): RequestHandler {
  return async (req, res) => {
    const { kind, id } = reportedIn(req);
    const typed = typedIn(req.body);
    const { t, language, paths } = localeOf(req);
    const again = (state: SuggestionState) =>
      renderSuggestionForm(context, req, res, { kind, id }, { typed, ...state });
    if (req.isReplay) return again({});
    const record = await findRecord(context, { kind, id });
    if (!record) throw notFound("entry");
    const fields = await readShownFields(context, req, kind, record);
    const { errors } = readChanges(fields, typed, language);
    const note = typed.note?.trim() || null;
    if ([...(note ?? "")].length > TEXT_AT_MOST)
      errors.note = t("input.sentence", {
        label: t("suggestions.note"),
        message: t("input.characters", { min: 0, max: TEXT_AT_MOST }),
      });
    if (Object.keys(errors).length > 0) return again({ status: 400, errors });
    const changed = fields.flatMap(({ name, value }): [string, string][] => {
      const text = typed[name]?.trim();
      return text === undefined || text === textOf(value).trim() ? [] : [[name, text]];
    });
    if (changed.length === 0 && note === null)
      return again({ status: 400, problem: t("suggestions.nothing") });
    if (changed.join("").length > FIELDS_AT_MOST)
      return again({ status: 413, problem: t("suggestions.size", { most: FIELDS_AT_MOST }) });
    const seconds = req.viewer ? 0 : await context.countReport(requestAddress(req));
    if (seconds > 0)
      return again({ status: 429, problem: tooOftenText(req, res, "suggestions.too_often", seconds) });
    const entryName = recordName(record, language);
    const suggestion = { kind, entryId: id, entryName, fields: Object.fromEntries(changed), note };
    const isStored = await addSuggestion(context.db, req.viewer?.id, suggestion);
    const full = req.viewer ? t("suggestions.limit", { most: WAITING_AT_MOST }) : t("suggestions.full");
    if (!isStored) return again({ status: 429, problem: full });
    // A visitor has no session for a message.
    const isLeft = await leaveFlash(req, lazyText("suggestions.sent"), { tone: "success" });
    const next = isLeft ? paths.reported(kind, id) : withQuery(paths.suggest(kind, id), { sent: "yes" });
    res.set("Cache-Control", "no-store").redirect(303, next);
  };
}

/** The fields without the attributes that the vocabulary hides, which only editors see. */
async function readShownFields(
  context: EditContext,
  req: Request,
  kind: ReportedKind,
  record: CurrentRecord,
): Promise<RecordField[]> {
  const vocabulary = vocabularyOf(req, kind);
  const fields = await readFields(context, req, kind, record);
  return fields.filter(
    ({ path: [column, key = ""] }) => column !== "attributes" || !vocabulary.isHidden(key),
  );
}

async function renderSuggestionForm(
  context: EditContext,
  req: Request,
  res: Response,
  { kind, id }: { kind: ReportedKind; id: string },
  { status, typed, errors = {}, problem }: SuggestionState = {},
): Promise<void> {
  const record = await findRecord(context, { kind, id });
  if (!record) throw notFound("entry");
  const { t, language, paths } = localeOf(req);
  const name = recordName(record, language);
  const title = t("suggestions.title", { name });
  const logIn = withQuery(paths.login(), { next: paths.suggest(kind, id) });
  const fields = await readShownFields(context, req, kind, record);
  await renderPage(req, res, "exchange/edit/suggest", formHead(title, status), {
    ...{ kind, id, name, title, problem, logIn, isSent: req.query.sent === "yes" },
    fields: await showFields(context, req, kind, fields, { typed, errors }),
    note: { value: typed?.note ?? "", error: errors.note },
  });
}

/** `GET /operator/suggestions/:suggestion`: the record's form with what was suggested; saving it accepts that. */
export function showSuggestion(context: EditContext): RequestHandler {
  return async (req, res) => {
    const suggestion = await findOpen(context, req);
    if (suggestion) await renderReview(context, req, res, suggestion);
    else await leaveDecided(req, res);
  };
}

async function renderReview(
  context: EditContext,
  req: Request,
  res: Response,
  suggestion: Suggestion,
  state: { status?: number; errors?: Record<string, string>; reason?: string } = {},
): Promise<void> {
  const { t } = localeOf(req);
  const { id, kind, entryId, fields: suggested } = suggestion;
  const record = await findRecord(context, { kind, id: entryId });
  const fields = await readFields(context, req, kind, record);
  const differing = fields.filter(({ name, value }) => (suggested[name] ?? textOf(value)) !== textOf(value));
  await renderForm(context, req, res, { kind, id: entryId }, record, {
    ...state,
    isReopened: true,
    typed: {
      ...suggested,
      suggestion: String(id),
      note: describeReporter(suggestion, t),
      reason: state.reason ?? "",
    },
    theirs: Object.fromEntries(differing.map(({ name, value }) => [name, textOf(value)])),
    problems: record ? [] : [t("suggestions.removed")],
  });
}

/** `POST /operator/suggestions/:suggestion` */
export function declineSuggestion(context: EditContext): RequestHandler {
  return async (req, res) => {
    const { t, paths } = localeOf(req);
    const suggestion = await findOpen(context, req);
    if (!suggestion) return leaveDecided(req, res);
    const reason = (typedIn(req.body).reason ?? "").trim();
    if (reason === "" || [...reason].length > NOTE_AT_MOST) {
      const message = t("input.characters", { min: 1, max: NOTE_AT_MOST });
      const errors = { reason: t("input.sentence", { label: t("suggestions.reason"), message }) };
      return renderReview(context, req, res, suggestion, { status: 400, errors, reason });
    }
    const isMine = await context.db.transaction((transaction) =>
      decideSuggestion(transaction, actorOf(req), suggestion, { state: "declined", reason }),
    );
    if (!isMine) return leaveDecided(req, res);
    await leaveFlash(req, lazyText("suggestions.declined"), { tone: "success" });
    res.redirect(303, paths.operatorRecords());
  };
}

async function findOpen({ db }: EditContext, req: Request): Promise<Suggestion | undefined> {
  const id = readNumber(req.params.suggestion);
  if (id === 0) throw notFound("page");
  const suggestion = await findSuggestion(db, id);
  // The shop is for operators.
  if (suggestion && !isCatalogueKind(suggestion.kind)) await confirmOperator(req);
  return suggestion;
}

async function leaveDecided(req: Request, res: Response): Promise<void> {
  await leaveFlash(req, lazyText("suggestions.decided"), { tone: "info" });
  res.redirect(303, localeOf(req).paths.operatorRecords());
}

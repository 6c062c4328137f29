import { type Request, type RequestHandler, type Response, Router } from "express";
import { withKindWords } from "../../catalogue/attributes.ts";
import { describeHistory, fieldLabel } from "../../catalogue/entry/history.ts";
import { findEntry, findRemovedEntry, findSuccessor, listRevisions } from "../../catalogue/entry/queries.ts";
import { signRevision } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import { changePicture } from "../../records/pictures/operator/queries.ts";
import { HttpError, notFound } from "../../web/pages/errors.ts";
import { renderPage, viewerOf } from "../../web/pages/page.ts";
import {
  confirmOperator,
  readOperatorForm,
  requireEditor,
  requireOperator,
  typedText,
} from "../../web/request/form.ts";
import { readBody, readLargeForm } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { keepPendingForm } from "../../web/request/pending-form.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { lazyText, translateText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { shorten } from "../../words/text/prose.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { mergeRecords } from "../imports/merge.ts";
import { UndoRefusedError } from "../imports/undo.ts";
import { recordPath } from "../read/kinds.ts";
import { findCurrent } from "../write/current-queries.ts";
import { writableFields } from "../write/fields.ts";
import { versionOf } from "../write/record-writer.ts";
import {
  type EditContext,
  editKinds,
  entryIn,
  recordIn,
  requireWriter,
  wordFor,
  writeBy,
} from "./context.ts";
import { typedIn } from "./fields.ts";
import {
  addRecord,
  NOTE_AT_MOST,
  recordName,
  saveRecord,
  showNewRecord,
  showRecord,
  unclearText,
} from "./form-page.ts";
import {
  findLocked,
  findMeant,
  findRemovedRecord,
  keepRemoved,
  listAuthors,
  listMerges,
  listRemoved,
  writeLocked,
} from "./queries.ts";
import { changeServer, showServers, testTyped } from "./server-pages.ts";
import { describeReporter, listSuggestions } from "./suggestion-queries.ts";
import {
  declineSuggestion,
  requireReporter,
  sendSuggestion,
  showSuggestion,
  showSuggestionForm,
} from "./suggestions.ts";

/** Descriptions of 20,000 characters in each language, percent-encoded. */
const FORM_LIMIT = { bytes: 1_500 * 1_024, fields: 2_000 };

const REMOVAL_FIELDS = ["note", "into"] as const;

/** Letters of a corrected value in the list of reports. */
const TEXT_SHOWN = 100;

/** Where operators and editors add, edit, hide, remove and restore records. */
export function editPages(context: EditContext): Router {
  const router = Router({ caseSensitive: true });
  const record = "/operator/records/:kind/:id" as const;
  const read = readLargeForm(FORM_LIMIT);
  const readRecord = [keepPendingForm("all", read), requireWriter, read, requireWriter, testTyped(context)];
  const readShort = [requireWriter, readBody, requireWriter];
  const readRemoval = [keepPendingForm(REMOVAL_FIELDS), ...readShort];
  router.route(paths.operatorRecords()).get(requireEditor, showRecords(context)).all(refuseOthers);
  router.route(`${record}/history`).get(requireWriter, showHistory(context)).all(refuseOthers);
  router.route(`${record}/restore`).post(readShort, restoreRecord(context)).all(refuseOthers);
  router
    .route(paths.operatorServers())
    .get(requireOperator, showServers(context))
    .post(readOperatorForm, changeServer(context))
    .all(refuseOthers);
  const forms: [string, RequestHandler, RequestHandler[], RequestHandler][] = [
    ["/operator/new-record/:kind", showNewRecord(context), readRecord, addRecord(context)],
    [record, showRecord(context), readRecord, saveRecord(context)],
    [`${record}/remove`, showRemoval(context), readRemoval, removeRecord(context)],
    ["/operator/suggestions/:suggestion", showSuggestion(context), readShort, declineSuggestion(context)],
  ];
  for (const [path, show, read, take] of forms)
    router.route(path).get(requireWriter, show).post(read, take).all(refuseOthers);
  const canReport = requireReporter(context);
  // Whether a visitor may send a form depends on what is in it.
  const readFirst = context.config.anonymousReports ? [read] : [];
  router
    .route("/suggest/:kind/:id")
    .get(canReport, showSuggestionForm(context))
    .post(readFirst, keepPendingForm("all", read), canReport, read, canReport, sendSuggestion(context))
    .all(refuseOthers);
  return router;
}

function showRecords({ db }: EditContext): RequestHandler {
  return async (req, res) => {
    const { t } = localeOf(req);
    const isOperator = viewerOf(req).role === "operator";
    const kinds = editKinds().filter((kind) => isOperator || isCatalogueKind(kind));
    await renderPage(
      req,
      res,
      "exchange/edit/records",
      { title: t("edit.records"), noindex: true, styles: ["home/operator"] },
      {
        addable: kinds.map((kind) => ({ kind, one: t(`kinds.${wordFor(kind)}.one`) })),
        suggestions: (await listSuggestions(db, kinds)).map((each) => ({
          ...each,
          one: t(`kinds.${wordFor(each.kind)}.one`),
          by: describeReporter(each, t),
          fields: Object.entries(each.fields).map(
            ([name, text]) => `${name.replace(/^attributes\./, "")}: ${shorten(text, TEXT_SHOWN)}`,
          ),
        })),
        removed: (await listRemoved(db, kinds)).map((each) => ({
          ...each,
          one: t(`kinds.${wordFor(each.kind)}.one`),
        })),
      },
    );
  };
}

/** Asks before a record is hidden or removed. */
function showRemoval(context: EditContext): RequestHandler {
  return (req, res) => renderRemoval(context, req, res);
}

async function renderRemoval(
  { db }: EditContext,
  req: Request,
  res: Response,
  { status, problem, error }: { status?: number; problem?: string; error?: string } = {},
): Promise<void> {
  const { kind, id } = recordIn(req);
  const { t, language, paths } = localeOf(req);
  const record = (await findCurrent(db, kind, [id])).get(id);
  if (!record) return res.redirect(303, paths.operatorRecordHistory(kind, id));
  const name = recordName(record, language);
  const canMerge = isCatalogueKind(kind) && viewerOf(req).role === "operator";
  const other =
    kind === "servers" ? t("edit.remove.title_only", { name }) : t("edit.remove.title_hide", { name });
  const title = canMerge ? t("edit.remove.title", { name }) : other;
  const head = { title, noindex: true, styles: ["home/operator"], ...(status && { status }) };
  await renderPage(req, res, "exchange/edit/remove", head, {
    ...{
      kind,
      id,
      name,
      title,
      canMerge,
      problem,
      error,
      typed: typedText(req, REMOVAL_FIELDS),
      pageUrl: recordPath(paths, kind, id),
    },
    version: versionOf(record),
  });
}

function removeRecord(context: EditContext): RequestHandler {
  return async (req, res) => {
    const { kind, id } = recordIn(req);
    const { t, paths } = localeOf(req);
    if (req.isReplay) return renderRemoval(context, req, res);
    const isServer = kind === "servers";
    const isHidden = !isServer && req.body?.action === "hide";
    // A server that is removed with its history cannot be restored.
    const isKept = !isServer || req.body?.action === "hide";
    const note = (typedIn(req.body).note ?? "").trim();
    if ([...note].length > NOTE_AT_MOST) {
      const problem = t("input.sentence", {
        label: t("edit.note"),
        message: t("input.characters", { min: 0, max: NOTE_AT_MOST }),
      });
      return renderRemoval(context, req, res, { status: 400, problem });
    }
    if (req.body?.action === "merge") return mergeRecord(context, req, res, note || undefined);
    const outcome = await context.writer.write({
      ...writeBy(req, kind),
      ...{ kind, id, note: note || undefined },
      method: "DELETE",
      seen: typedIn(req.body).version ?? "",
      ...(isHidden && { action: "record.hidden" }),
      prepare: async (transaction) => {
        if (!isCatalogueKind(kind)) return isKept && keepRemoved(transaction, kind, id);
        // The demo's records leave nothing that could be restored.
        return transaction(kind).where({ id, demo: true }).update({ demo: false });
      },
      complete: async (transaction) => {
        if (isHidden) await transaction("catalogue_tombstones").where({ kind, id }).update({ hidden: true });
      },
    });
    if (outcome instanceof HttpError)
      return renderRemoval(context, req, res, { status: 409, problem: t("edit.remove.changed") });
    await leaveFlash(req, isHidden ? lazyText("edit.flash.hidden") : lazyText("edit.flash.removed"));
    const place = isKept ? paths.operatorRecordHistory(kind, id) : paths.operatorServers();
    res.redirect(303, place);
  };
}

async function mergeRecord(
  context: EditContext,
  req: Request,
  res: Response,
  note: string | undefined,
): Promise<void> {
  await confirmOperator(req);
  const { kind, id } = entryIn(req);
  const { t, language, paths } = localeOf(req);
  const wanted = (typedIn(req.body).into ?? "").trim();
  const meant = wanted === "" ? [] : await findMeant(context, kind, wanted, id);
  // What only sounds like it is named, but not taken.
  const isExact = (each: { id: string; name: string }) =>
    each.id === wanted || (meant.length === 1 && each.name.toLowerCase() === wanted.toLowerCase());
  const into = (await findSuccessor(context.db, kind, wanted)) ?? meant.find(isExact)?.id;
  if (into === undefined) {
    const error = t("input.sentence", { label: t("edit.merge.into"), message: unclearText(req, meant) });
    return renderRemoval(context, req, res, { status: 400, error });
  }
  try {
    const wish = { kind, from: id, into };
    const merged = await mergeRecords(context.slowQueryDb, wish, { by: actorOf(req), note });
    await leaveFlash(req, lazyText("edit.merge.done"), { tone: "success" });
    res.redirect(303, paths.entry(kind, merged.into));
  } catch (error) {
    if (!(error instanceof UndoRefusedError)) throw error;
    await renderRemoval(context, req, res, { status: 409, problem: translateText(error.said, language) });
  }
}

/** Puts the last state of a removed record back, with its picture. */
function restoreRecord({ db, writer }: EditContext): RequestHandler {
  return async (req, res) => {
    const { kind, id } = recordIn(req);
    const { paths } = localeOf(req);
    const page = recordPath(paths, kind, id);
    const removed = (await findRemovedRecord(db, kind, id))?.record;
    if (!removed) {
      if (!(await findCurrent(db, kind, [id])).has(id)) throw notFound("entry");
      await leaveFlash(req, lazyText("edit.flash.unchanged"), { tone: "info" });
      return res.redirect(303, page);
    }
    const picture = typeof removed.picture === "string" ? removed.picture : null;
    const fields = writableFields(kind).filter((field) => field in removed);
    const by = writeBy(req, kind);
    const outcome = await writer.write({
      ...by,
      ...{ kind, id, method: "PUT", createOnly: true, action: "record.restored" },
      body: Object.fromEntries(fields.map((field) => [field, removed[field]])),
      complete: async (transaction) => {
        if (kind !== "servers") await changePicture(transaction, { kind: wordFor(kind), id, picture });
        if (isCatalogueKind(kind) && picture !== null) await signRevision(transaction, by.by, { kind, id });
        const locked = (removed.locked ?? []) as string[];
        if (isCatalogueKind(kind)) await writeLocked(transaction, by.by, { kind, id }, () => locked);
      },
    });
    const isBack = !(outcome instanceof HttpError);
    await leaveFlash(req, isBack ? lazyText("edit.flash.restored") : lazyText("edit.flash.unchanged"), {
      tone: isBack ? "success" : "info",
    });
    res.redirect(303, page);
  };
}

/** The revisions of a record with their authors and notes. */
function showHistory({ db }: EditContext): RequestHandler {
  return async (req, res) => {
    const { kind, id } = recordIn(req);
    const { t, language, paths } = localeOf(req);
    const current = (await findCurrent(db, kind, [id])).get(id);
    const removed = current ? undefined : await findRemovedRecord(db, kind, id);
    const record = current ?? removed?.record;
    if (!record) throw notFound("entry");
    const name = recordName(record, language);
    const head = {
      title: t("edit.history.title", { name }),
      noindex: true,
      styles: ["home/operator", "catalogue/catalogue", "catalogue/entry"],
    };
    await renderPage(req, res, "exchange/edit/history", head, {
      ...{ kind, id, name, pageUrl: recordPath(paths, kind, id) },
      ...{ isThere: current !== undefined, isHidden: removed?.isHidden },
      revisions: isCatalogueKind(kind) ? await describeRevisions(db, req, kind, id) : undefined,
      auditUrl: withQuery(paths.operatorAudit(), { subject: `${kind}/${id}` }),
    });
  };
}

/** Describes the changes of an entry of the catalogue, with their authors and notes. */
async function describeRevisions(db: Db, req: Request, kind: CatalogueKind, id: string) {
  const removed = await findRemovedEntry(db, kind, id, { evenHidden: true });
  const entry = (await findEntry(db, kind, id)) ?? removed;
  if (!entry) throw notFound("entry");
  const words = withKindWords(localeOf(req), req.site, kind);
  const revisions = await listRevisions(db, kind, entry);
  const { changes, isWhole } = describeHistory(entry, revisions, { ...words, isForEditors: true });
  const authors = new Map((await listAuthors(db, kind, id)).map((each) => [each.revision, each]));
  return {
    ...{ isWhole, addedAt: entry.created_at },
    merges: await listMerges(db, kind, id),
    merged: removed?.merged_into && { into: removed.merged_into, number: removed.import_id },
    locked: (await findLocked(db, kind, id)).map((field) => fieldLabel(field, undefined, words)).join(", "),
    changes: changes.map((change) => ({ ...change, ...authors.get(change.revision) })),
  };
}

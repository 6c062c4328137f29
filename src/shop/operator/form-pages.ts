import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { type Phase, readDatabaseClock } from "../../records/prices/queries.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { type DiscountInput, planDiscount } from "../discount-plan.ts";
import { changeSince, previewPlan } from "../discount-preview.ts";
import { findDiscount, itemOf } from "../discount-queries.ts";
import { addDiscount, changeDiscount, makeDiscountId, type SaveOutcome } from "../save-discount.ts";
import {
  actionOf,
  chooseItem,
  type Draft,
  findKnown,
  head,
  type ItemChoice,
  renderChanged,
  renderForm,
  renderSavedBefore,
} from "./draft.ts";
import { errorsByField, fillForm, readDiscountForm, typedDiscount, zoneFor } from "./form.ts";
import { describePreview } from "./preview.ts";

/** `GET /operator/new-discount?item=` */
export function showNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const item = typeof req.query.item === "string" ? req.query.item : "";
    const typed = fillForm(undefined, zoneOf(req), item);
    await renderForm(db, req, res, { typed, known: undefined, version: "", id: "" }, { isFresh: true });
  };
}

/** `POST /operator/new-discount`: one step of the form, the preview or the saving. */
export function sendNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const typed = typedDiscount(req);
    const choice = await chooseItem(db, typed.item);
    const named = readDraftId(req);
    const id = named ?? makeDiscountId(typed.title || (choice.item?.name ?? ""));
    const draft = { typed, known: undefined, version: "", id };
    // Going back in the browser leads to forms that were saved already. Saving such a form again unchanged is allowed.
    const known =
      named !== undefined && req.body?.step !== "save" ? await findDiscount(db, named) : undefined;
    if (known) return renderSavedBefore(db, req, res, draft, known);
    const save = (input: DiscountInput) => addDiscount(db, { id, itemKey: choice.item?.key ?? "", input });
    await takeStep(db, req, res, draft, choice, save);
  };
}

/** `GET /operator/discounts/:id` */
export function showDiscountForm(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const known = await findKnown(db, req.params.id);
    const typed = fillForm(known, zoneFor(known, zoneOf(req)));
    await renderForm(db, req, res, { typed, known, version: known.version, id: known.id }, { isFresh: true });
  };
}

/** `POST /operator/discounts/:id` */
export function sendDiscountForm(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const known = await findKnown(db, id);
    const version = String(req.body?.version ?? "");
    const typed = { ...typedDiscount(req), item: known.item_key };
    const draft = { typed, known, version, id };
    if (version !== known.version) return renderChanged(db, req, res, draft, known);
    const save = (input: DiscountInput, phase?: Phase) => changeDiscount(db, { id, version, phase, input });
    await takeStep(db, req, res, draft, { item: itemOf(known) }, save);
  };
}

async function takeStep(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  choice: ItemChoice,
  save: (input: DiscountInput, phase: Phase | undefined) => Promise<SaveOutcome>,
): Promise<void> {
  const step: unknown = req.body?.step;
  if (step === "edit") return renderForm(db, req, res, draft);
  const { form, errors } = readDiscountForm(draft.typed, draft.known);
  if (!choice.item) {
    const { error, similar } = choice;
    return renderForm(db, req, res, draft, { status: 400, errors: { item: error, ...errors }, similar });
  }
  const { item } = choice;
  if (errors) return renderForm(db, req, res, draft, { status: 400, errors });
  const now = await readDatabaseClock(db);
  const planned = planDiscount(form.input, item, draft.known, now);
  if (planned.errors) {
    return renderForm(db, req, res, draft, { status: 400, errors: errorsByField(planned.errors) });
  }
  const preview = await previewPlan(db, item, planned.plan, draft.known, now);
  const change = step === "save" ? changeSince(String(req.body?.seen), preview) : undefined;
  if (step === "save" && change === undefined) {
    const saved = await save(form.input, preview.phase);
    // It started or ended before the lock: the operator sees the new preview first.
    if (saved.outcome === "moved on")
      return takeStep(db, req, res, { ...draft, known: saved.known }, choice, save);
    return answerOutcome(db, req, res, draft, saved);
  }
  const locale = localeOf(req);
  await renderPage(req, res, "shop/operator/preview", head(locale.t("operator.preview.title")), {
    ...describePreview(preview, form, locale),
    // The item that is shown is saved, whatever the typed text means by then.
    draft: { ...draft, typed: { ...draft.typed, item: item.key } },
    action: actionOf(draft, locale.paths),
    change,
  });
}

async function answerOutcome(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  saved: Exclude<SaveOutcome, { outcome: "moved on" }>,
): Promise<void> {
  const { t, paths } = localeOf(req);
  if (saved.outcome === "gone") throw notFound("discount");
  if (saved.outcome === "busy")
    return renderForm(db, req, res, draft, { status: 503, problem: t("operator.busy") });
  if (saved.outcome === "changed") return renderChanged(db, req, res, draft, saved.known);
  if (saved.outcome === "exists") return renderSavedBefore(db, req, res, draft, saved.known);
  if (saved.outcome === "refused") {
    return renderForm(db, req, res, draft, { status: 400, errors: errorsByField(saved.errors) });
  }
  logSecurity(req, "discount.saved", { discount: draft.id });
  await leaveFlash(req, saved.plan.isAtOnce ? t("operator.form.saved_now") : t("operator.form.saved"));
  res.set("Cache-Control", "no-store").redirect(303, paths.operatorDiscounts());
}

function zoneOf(req: Request): string {
  return req.viewer?.timeZone ?? "UTC";
}

function readDraftId(req: Request): string | undefined {
  const id: unknown = req.body?.id;
  return typeof id === "string" && /^[a-z0-9-]{8,80}$/.test(id) ? id : undefined;
}

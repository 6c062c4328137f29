import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { notFound } from "../../http/errors.ts";
import { localeOf } from "../../http/locale.ts";
import { renderPage } from "../../http/page.ts";
import { logSecurity } from "../../http/security-log.ts";
import { leaveFlash } from "../../http/session.ts";
import { type Phase, readDatabaseClock } from "../../prices/queries.ts";
import { makeDiscountId } from "../discount-ids.ts";
import { type DiscountWish, planDiscount } from "../discount-plan.ts";
import { changeSince, previewPlan } from "../discount-preview.ts";
import { findDiscount, itemOf } from "../discount-queries.ts";
import { addDiscount, changeDiscount, type SaveOutcome } from "../save-discount.ts";
import {
  actionOf,
  chooseItem,
  type Draft,
  head,
  type ItemChoice,
  renderForm,
  tellChanged,
  tellSaved,
} from "./draft.ts";
import { faultsByField, fillForm, readDiscountForm, typedDiscount, zoneFor } from "./form.ts";
import { findKnown } from "./known-discount.ts";
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
    // Back in the browser leads to forms that are saved already; sent again as they are they stay saved.
    const known =
      named !== undefined && req.body?.step !== "save" ? await findDiscount(db, named) : undefined;
    if (known) return tellSaved(db, req, res, draft, known);
    const save = (wish: DiscountWish) => addDiscount(db, { id, itemKey: choice.item?.key ?? "", wish });
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
    if (version !== known.version) return tellChanged(db, req, res, draft, known);
    const save = (wish: DiscountWish, phase?: Phase) => changeDiscount(db, { id, version, phase, wish });
    await takeStep(db, req, res, draft, { item: itemOf(known) }, save);
  };
}

async function takeStep(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  choice: ItemChoice,
  save: (wish: DiscountWish, phase: Phase | undefined) => Promise<SaveOutcome>,
): Promise<void> {
  const step: unknown = req.body?.step;
  if (step === "edit") return renderForm(db, req, res, draft);
  const { form, faults } = readDiscountForm(draft.typed, draft.known);
  if (!choice.item) {
    const { fault, similar } = choice;
    return renderForm(db, req, res, draft, { status: 400, faults: { item: fault, ...faults }, similar });
  }
  const { item } = choice;
  if (faults) return renderForm(db, req, res, draft, { status: 400, faults });
  const now = await readDatabaseClock(db);
  const planned = planDiscount(form.wish, item, draft.known, now);
  if (planned.faults) {
    return renderForm(db, req, res, draft, { status: 400, faults: faultsByField(planned.faults) });
  }
  const preview = await previewPlan(db, item, planned.plan, draft.known, now);
  const change = step === "save" ? changeSince(String(req.body?.seen), preview) : undefined;
  if (step === "save" && change === undefined) {
    const saved = await save(form.wish, preview.phase);
    // Between the look at it and its lock it has started or ended: what comes of it now is to be seen first.
    if (saved.outcome === "moved on")
      return takeStep(db, req, res, { ...draft, known: saved.known }, choice, save);
    return answerOutcome(db, req, res, draft, saved);
  }
  const locale = localeOf(req);
  await renderPage(req, res, "donate/operator/preview", head(locale.t("operator.preview.title")), {
    ...describePreview(preview, form, locale),
    draft,
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
  if (saved.outcome === "changed") return tellChanged(db, req, res, draft, saved.known);
  if (saved.outcome === "exists") return tellSaved(db, req, res, draft, saved.known);
  if (saved.outcome === "refused") {
    return renderForm(db, req, res, draft, { status: 400, faults: faultsByField(saved.faults) });
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

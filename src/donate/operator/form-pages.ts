import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { notFound } from "../../http/errors.ts";
import type { FieldErrors } from "../../http/form.ts";
import { renderPage } from "../../http/page.ts";
import { saveSession } from "../../http/session.ts";
import { listTimeZones } from "../../http/time-zones.ts";
import { Refusal, readId } from "../../import/records/values.ts";
import { paths } from "../../urls.ts";
import { makeDiscountId } from "../discount-ids.ts";
import { type DiscountWish, planDiscount } from "../discount-plan.ts";
import { previewPlan } from "../discount-preview.ts";
import {
  type DiscountedItem,
  findItemsByText,
  type KnownDiscount,
  listItemChoices,
  readDatabaseClock,
} from "../discount-queries.ts";
import { addDiscount, changeDiscount, type SaveOutcome } from "../save-discount.ts";
import { BUSY } from "./end-pages.ts";
import { faultsByField, fillForm, readDiscountForm, type TypedDiscount, typedDiscount } from "./form.ts";
import { findKnown } from "./known-discount.ts";
import { describePreview } from "./preview.ts";

/** More than this nobody scrolls through: who has more items types a part of the name. */
const CHOICES = 500;

/** The form as it goes back and forth between the operator and the site. */
interface Draft {
  typed: TypedDiscount;
  /** The discount that is changed; undefined: a new one. */
  known: KnownDiscount | undefined;
  /** Which state of it the operator has seen. */
  version: string;
  /** What a new one will be called, chosen before it is saved: sent twice, it is still one. */
  id: string;
}

/** `GET /operator/new-discount?item=` */
export function showNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const item = typeof req.query.item === "string" ? req.query.item : "";
    const typed = fillForm(undefined, zoneOf(req), item);
    await renderForm(db, req, res, { typed, known: undefined, version: "", id: "" });
  };
}

/** `POST /operator/new-discount`: one step of the form, the preview or the saving. */
export function sendNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const typed = typedDiscount(req);
    const choice = await chooseItem(db, typed.item);
    const id = readDraftId(req) ?? makeDiscountId(typed.title || (choice.item?.name ?? ""));
    const draft = { typed, known: undefined, version: "", id };
    const save = (wish: DiscountWish) => addDiscount(db, { id, itemKey: choice.item?.key ?? "", wish });
    await takeStep(db, req, res, draft, choice, save);
  };
}

/** `GET /operator/discounts/:id` */
export function showDiscountForm(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const known = await findKnown(db, req.params.id);
    const typed = fillForm(known, zoneOf(req));
    await renderForm(db, req, res, { typed, known, version: known.version, id: known.id });
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
    const { item_key: key, item_name: name, item_price: price, currency } = known;
    const save = (wish: DiscountWish) => changeDiscount(db, { id, version, wish });
    await takeStep(db, req, res, draft, { item: { key, name, price, currency } }, save);
  };
}

/** What a discount is for, or why that is not clear and what it might be. */
type ItemChoice = { item: DiscountedItem } | { item?: undefined; fault: string; similar: DiscountedItem[] };

async function takeStep(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  choice: ItemChoice,
  save: (wish: DiscountWish) => Promise<SaveOutcome>,
): Promise<void> {
  const step: unknown = req.body?.step;
  if (step === "edit") return renderForm(db, req, res, draft);
  const { form, faults } = readDiscountForm(draft.typed, draft.known);
  if (!choice.item) {
    const { fault, similar } = choice;
    return renderForm(db, req, res, draft, { status: 400, errors: { item: fault, ...faults }, similar });
  }
  const { item } = choice;
  if (faults) return renderForm(db, req, res, draft, { status: 400, errors: faults });
  const now = await readDatabaseClock(db);
  const planned = planDiscount(form.wish, item, draft.known, now);
  if (planned.faults) {
    return renderForm(db, req, res, draft, { status: 400, errors: faultsByField(planned.faults) });
  }
  const preview = await previewPlan(db, item, planned.plan, draft.known, now);
  const seen: unknown = req.body?.seen;
  if (step === "save" && seen === preview.seen)
    return answerOutcome(db, req, res, draft, await save(form.wish));
  await renderPage(req, res, "donate/operator/preview", head("Preview"), {
    ...describePreview(preview, form),
    draft,
    action: actionOf(draft),
    hasChanged: step === "save",
  });
}

async function answerOutcome(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  saved: SaveOutcome,
): Promise<void> {
  if (saved.outcome === "gone") throw notFound("discount");
  if (saved.outcome === "busy") return renderForm(db, req, res, draft, { status: 503, problem: BUSY });
  if (saved.outcome === "changed") return tellChanged(db, req, res, draft, saved.known);
  if (saved.outcome === "refused") {
    return renderForm(db, req, res, draft, { status: 400, errors: faultsByField(saved.faults) });
  }
  req.session.flash = `The discount is saved. ${saved.plan.isAtOnce ? "It runs now." : ""}`.trim();
  await saveSession(req);
  res.set("Cache-Control", "no-store").redirect(303, paths.operatorDiscounts());
}

/** What was typed stays; saving it again replaces what the other has made of the discount. */
async function tellChanged(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  known: KnownDiscount,
): Promise<void> {
  await renderForm(db, req, res, { ...draft, known, version: known.version }, { status: 409, isStale: true });
}

interface FormState {
  status?: number;
  errors?: FieldErrors;
  similar?: DiscountedItem[];
  /** What kept it from being saved, where no field is wrong. */
  problem?: string;
  /** Somebody else has changed the discount since this form was opened. */
  isStale?: boolean;
}

async function renderForm(
  db: Db,
  req: Request,
  res: Response,
  draft: Draft,
  { status, errors = {}, similar = [], problem, isStale = false }: FormState = {},
): Promise<void> {
  const title = draft.known ? "Change a discount" : "New discount";
  const own = req.viewer?.timeZone ?? undefined;
  await renderPage(req, res, "donate/operator/form", head(title, status), {
    title,
    draft,
    action: actionOf(draft),
    errors,
    similar,
    problem,
    isStale,
    choices: draft.known ? [] : await listItemChoices(db, CHOICES),
    zones: [...new Set([...(own === undefined ? [] : [own]), ...listTimeZones(own)])],
    // What nobody has chosen, the browser may guess; what stands in the form already is in the zone that is named.
    guessZone: own === undefined && draft.typed.starts === "" && draft.typed.ends === "",
  });
}

function head(title: string, status?: number) {
  const scripts = ["donate-operator"];
  return { title, noindex: true, styles: ["donate"], scripts, ...(status && { status }) };
}

function actionOf({ known }: Draft): string {
  return known ? paths.operatorDiscount(known.id) : paths.operatorNewDiscount();
}

function zoneOf(req: Request): string {
  return req.viewer?.timeZone ?? "UTC";
}

async function chooseItem(db: Db, typed: string): Promise<ItemChoice> {
  if (typed === "") return { fault: "is required", similar: [] };
  const text = readId(typed);
  if (text instanceof Refusal) return { fault: text.reason, similar: [] };
  const { found, similar } = await findItemsByText(db, text);
  if (found) return { item: found };
  if (similar.length === 0) return { fault: "is not in the shop", similar };
  return { fault: "is not clear: choose one of those below by its key", similar };
}

function readDraftId(req: Request): string | undefined {
  const id: unknown = req.body?.id;
  return typeof id === "string" && /^[a-z0-9-]{8,80}$/.test(id) ? id : undefined;
}

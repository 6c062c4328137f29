import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { bestDiscount, discountedPrice } from "../../records/prices/prices.ts";
import { listDiscountsOf, type Phase, readDatabaseClock } from "../../records/prices/queries.ts";
import { exactLengthText } from "../../records/prices/sale-words.ts";
import { shownTitle, titlesIn } from "../../records/shown-title.ts";
import { plainText } from "../../records/values.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { formatFor } from "../../web/request/format.ts";
import { parseInput } from "../../web/request/input.ts";
import { type Locale, localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../../web/request/params.ts";
import { keepPendingForm } from "../../web/request/pending-form.ts";
import { admitFew } from "../../web/server/admission.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { clockShift } from "../../words/text/local-times.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { recordChangedDiscount, recordEndedDiscount, recordNewDiscount } from "../discount-actions.ts";
import { type DiscountInput, planDiscount } from "../discount-plan.ts";
import { changeSince, type DiscountPreview, previewPlan } from "../discount-preview.ts";
import {
  countDiscounts,
  findDiscount,
  itemOf,
  type KnownDiscount,
  listDiscounts,
  PHASES,
} from "../discount-queries.ts";
import { type EndOutcome, makeDiscountId, type SaveOutcome } from "../save-discount.ts";
import {
  chooseAction,
  chooseItem,
  type Draft,
  findKnown,
  head,
  type ItemChoice,
  renderChanged,
  renderForm,
  renderSavedBefore,
} from "./draft.ts";
import {
  errorsByField,
  FIELDS,
  fillForm,
  type ReadForm,
  readDiscountForm,
  typedDiscount,
  zoneFor,
} from "./form.ts";

/** Messages of final outcomes; the others lead back to the question. */
const DONE = {
  ended: "operator.end.ended",
  withdrawn: "operator.end.withdrawn",
  "already over": "operator.end.already_over",
} as const satisfies Record<Exclude<EndOutcome, "gone" | "busy" | "started meanwhile">, string>;

const PAGE_SIZE = 50;

export const discountsInput = z.object({
  q: searchText.default(""),
  phase: oneOf(["running", "coming", "past"]).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** Reads the form of a discount. After a log-in, its draft has the same id and the typed values. */
const readDiscount = [keepPendingForm([...FIELDS, "id", "version"]), ...readOperatorForm];

/** The pages where operators plan, change and end discounts. */
export function operatorDiscountPages({ db }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  const discount = `${paths.operatorDiscounts()}/:id`;
  router
    .route(paths.operatorDiscounts())
    .get(requireOperator, admitFew()(showDiscounts(db)))
    .all(refuseOthers);
  type Handler = RequestHandler<{ id: string }>;
  const forms: [string, Handler, RequestHandler[], Handler][] = [
    [paths.operatorNewDiscount(), showNewDiscountForm(db), readDiscount, sendNewDiscountForm(db)],
    [discount, showDiscountForm(db), readDiscount, sendDiscountForm(db)],
    [`${discount}/end`, showEnd(db), readOperatorForm, confirmEnd(db)],
  ];
  for (const [path, show, read, send] of forms) {
    router.route(path).get(requireOperator, show).post(read, send).all(refuseOthers);
  }
  return router;
}

function showDiscounts(db: Db): RequestHandler {
  return async (req, res) => {
    const { q, phase, page } = parseInput(discountsInput, req);
    const { t, language, paths } = localeOf(req);
    const counts = await countDiscounts(db, q);
    const total = PHASES.filter((each) => phase === undefined || each === phase).reduce(
      (sum, each) => sum + counts[each],
      0,
    );
    const pagination = paginate(total, page, PAGE_SIZE);
    const discounts = await listDiscounts(db, { search: q, phase, ...pagination });
    await renderPage(
      req,
      res,
      "shop/operator/list",
      { title: t("operator.discounts.title"), noindex: true, styles: ["shop/shop"] },
      {
        groups: PHASES.map((each) => ({
          phase: each,
          discounts: discounts
            .filter((discount) => discount.phase === each)
            .map((discount) => present(discount, language)),
        })).filter((group) => group.discounts.length > 0),
        titleOf: titlesIn(language),
        counts,
        all: counts.running + counts.coming + counts.past,
        query: q,
        phase,
        pagination,
        listUrl: (wanted: { phase?: string; page?: number }) =>
          withQuery(paths.operatorDiscounts(), {
            q,
            ...wanted,
            page: wanted.page === 1 ? undefined : wanted.page,
          }),
      },
    );
  };
}

function present(discount: KnownDiscount, language: Language) {
  const item = itemOf(discount);
  return { ...discount, shown: localName(item, language), newPrice: discountedPrice(item, discount) };
}

/** `GET /operator/new-discount?item=` */
function showNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const item = typeof req.query.item === "string" ? req.query.item : "";
    const typed = fillForm(undefined, readZone(req), item);
    await renderForm(db, req, res, { typed, known: undefined, version: "", id: "" }, { isFresh: true });
  };
}

/** `POST /operator/new-discount`: one step of the form, the preview or the saving. */
function sendNewDiscountForm(db: Db): RequestHandler {
  return async (req, res) => {
    const typed = typedDiscount(req);
    const choice = await chooseItem(db, typed.item);
    const named = readDraftId(req);
    const id = named ?? makeDiscountId(typed.title || (choice.item?.name ?? ""));
    const draft = { typed, known: undefined, version: "", id };
    // Going back in the browser leads to forms that have been saved. Saving such a form again unchanged is allowed.
    const known =
      named !== undefined && req.body?.step !== "save" ? await findDiscount(db, named) : undefined;
    if (known) return renderSavedBefore(db, req, res, draft, known);
    const save = (input: DiscountInput) =>
      recordNewDiscount(db, actorOf(req), { id, itemKey: choice.item?.key ?? "", input });
    await takeStep(db, req, res, draft, choice, save);
  };
}

/** `GET /operator/discounts/:id` */
function showDiscountForm(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const known = await findKnown(db, req.params.id);
    const typed = fillForm(known, zoneFor(known, readZone(req)));
    await renderForm(db, req, res, { typed, known, version: known.version, id: known.id }, { isFresh: true });
  };
}

/** `POST /operator/discounts/:id` */
function sendDiscountForm(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = req.params;
    const known = await findKnown(db, id);
    const version = plainText(req.body?.version ?? "");
    const typed = { ...typedDiscount(req), item: known.item_key };
    const draft = { typed, known, version, id };
    if (version !== known.version) return renderChanged(db, req, res, draft, known);
    const save = (input: DiscountInput, phase?: Phase) =>
      recordChangedDiscount(db, actorOf(req), known, { version, phase, input });
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
  const change = step === "save" ? changeSince(plainText(req.body?.seen), preview) : undefined;
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
    // Saves the shown item, even if the typed text now means another one.
    draft: { ...draft, typed: { ...draft.typed, item: item.key } },
    action: chooseAction(draft, locale.paths),
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
  res.redirect(303, paths.operatorDiscounts());
}

function readZone(req: Request): string {
  return req.viewer?.timeZone ?? "UTC";
}

function readDraftId(req: Request): string | undefined {
  const id: unknown = req.body?.id;
  return typeof id === "string" && /^[a-z0-9-]{8,80}$/.test(id) ? id : undefined;
}

/** `GET /operator/discounts/:id/end`: asks the operator to confirm. */
function showEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    await renderEnd(db, req, res, await findKnown(db, req.params.id));
  };
}

/** `POST /operator/discounts/:id/end` */
function confirmEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { t, paths } = localeOf(req);
    const known = await findKnown(db, req.params.id);
    const { id } = known;
    const wanted = req.body?.wanted === "withdraw" ? "withdraw" : "end";
    const outcome = await recordEndedDiscount(db, actorOf(req), known, wanted);
    if (outcome === "gone") throw notFound("discount");
    if (outcome === "busy")
      return renderEnd(db, req, res, await findKnown(db, id), { status: 503, notice: t("operator.busy") });
    if (outcome === "started meanwhile") {
      const notice = t("operator.end.started_meanwhile");
      return renderEnd(db, req, res, await findKnown(db, id), { status: 409, notice });
    }
    if (outcome !== "already over") logSecurity(req, "discount.ended", { discount: id, change: outcome });
    await leaveFlash(req, t(DONE[outcome]), { tone: outcome === "already over" ? "info" : "success" });
    res.redirect(303, paths.operatorDiscounts());
  };
}

async function renderEnd(
  db: Db,
  req: Request,
  res: Response,
  known: KnownDiscount,
  { status, notice }: { status?: number; notice?: string } = {},
): Promise<void> {
  const { t, language } = localeOf(req);
  const title = known.phase === "coming" ? t("operator.end.withdraw_title") : t("operator.end.end_title");
  const head = { title, noindex: true, styles: ["shop/shop"], ...(status && { status }) };
  await renderPage(req, res, "shop/operator/end", head, {
    title,
    known,
    lead: [
      localName(itemOf(known), language).name,
      shownTitle(known, language)?.text ?? t("operator.no_title"),
    ].join(" · "),
    titleOf: titlesIn(language),
    notice,
    ...(await describeEnd(db, known)),
  });
}

/** The cost of the item without this discount; another one may be running too. */
async function describeEnd(db: Db, known: KnownDiscount) {
  const item = { price: known.item_price, currency: known.currency };
  const rest = (await listDiscountsOf(db, known.item_key)).filter(
    ({ id, phase }) => id !== known.id && phase === "running",
  );
  const next = bestDiscount(item, rest);
  return {
    newPrice: discountedPrice(item, known),
    after: next?.newPrice ?? known.item_price,
    next: next?.discount,
  };
}

function describePreview(
  preview: DiscountPreview,
  { input, zone, repeated }: ReadForm,
  { t, language }: Pick<Locale, "t" | "language">,
) {
  const { startsAt, endsAt, isAtOnce } = preview.plan;
  const [local, utc] = [formatFor(language, zone), formatFor(language)];
  const inBoth = (at: Date) => ({ local: local.time(at), utc: utc.time(at) });
  return {
    preview,
    shown: localName(preview.item, language),
    title: shownTitle(preview.plan, language),
    zone,
    starts: {
      ...inBoth(startsAt),
      isAtOnce,
      hasPassed: isAtOnce && input.startsAt !== null,
      isRepeated: repeated.starts,
    },
    ends: endsAt && { ...inBoth(endsAt), isRepeated: repeated.ends },
    length: endsAt && exactLengthText(t, endsAt.getTime() - startsAt.getTime()),
    shift: endsAt ? shiftText(t, zone, clockShift(startsAt, endsAt, zone)) : undefined,
    rivals: preview.rivals.map((rival) => ({
      ...rival,
      title: shownTitle(rival.discount, language) ?? { text: rival.discount.id, lang: undefined },
      from: local.time(rival.discount.starts_at),
      until: rival.discount.ends_at && local.time(rival.discount.ends_at),
    })),
  };
}

/** Explains an unexpected length: a day when clocks go forward has 23 hours. */
function shiftText(t: Translate, zone: string, minutes: number): string | undefined {
  if (minutes === 0) return undefined;
  const by = exactLengthText(t, Math.abs(minutes) * 60_000);
  return minutes > 0 ? t("operator.preview.forward", { zone, by }) : t("operator.preview.back", { zone, by });
}

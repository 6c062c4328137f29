import type { Request, RequestHandler, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { bestDiscount, discountedPrice } from "../../records/prices/prices.ts";
import { listDiscountsOf } from "../../records/prices/queries.ts";
import { shownName } from "../../records/shown-name.ts";
import { shownTitle, titlesIn } from "../../records/shown-title.ts";
import { notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { itemOf, type KnownDiscount } from "../discount-queries.ts";
import { type EndOutcome, endDiscount } from "../save-discount.ts";
import { findKnown } from "./draft.ts";

/** Messages of final outcomes; the others lead back to the question. */
const DONE = {
  ended: "operator.end.ended",
  withdrawn: "operator.end.withdrawn",
  "already over": "operator.end.already_over",
} as const satisfies Record<Exclude<EndOutcome, "gone" | "busy" | "started meanwhile">, string>;

/** `GET /operator/discounts/:id/end`: confirms before anything happens. */
export function showEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    await renderEnd(db, req, res, await findKnown(db, req.params.id));
  };
}

/** `POST /operator/discounts/:id/end` */
export function confirmEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { t, paths } = localeOf(req);
    const { id } = await findKnown(db, req.params.id);
    const wanted = req.body?.wanted === "withdraw" ? "withdraw" : "end";
    const outcome = await endDiscount(db, id, wanted);
    if (outcome === "gone") throw notFound("discount");
    if (outcome === "busy")
      return renderEnd(db, req, res, await findKnown(db, id), { status: 503, notice: t("operator.busy") });
    if (outcome === "started meanwhile") {
      const notice = t("operator.end.started_meanwhile");
      return renderEnd(db, req, res, await findKnown(db, id), { status: 409, notice });
    }
    if (outcome !== "already over") logSecurity(req, "discount.ended", { discount: id, change: outcome });
    await leaveFlash(req, t(DONE[outcome]), { tone: outcome === "already over" ? "info" : "success" });
    res.set("Cache-Control", "no-store").redirect(303, paths.operatorDiscounts());
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
      shownName(itemOf(known), language).name,
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

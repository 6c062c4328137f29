import type { RequestHandler } from "express";
import type { Db } from "../../db/connect.ts";
import { notFound } from "../../http/errors.ts";
import { renderPage } from "../../http/page.ts";
import { saveSession } from "../../http/session.ts";
import { paths } from "../../urls.ts";
import type { KnownDiscount } from "../discount-queries.ts";
import { bestDiscount, discountedPrice } from "../prices.ts";
import { listDiscountsOf } from "../queries.ts";
import { type EndOutcome, endDiscount } from "../save-discount.ts";
import { findKnown } from "./known-discount.ts";

/** What is said once it is done; the other outcomes lead back to the question. */
const DONE: Record<Exclude<EndOutcome, "gone" | "busy" | "started meanwhile">, string> = {
  ended: "The discount has ended.",
  withdrawn: "The discount is withdrawn: nobody was told of it, and nobody will be.",
  "already over": "The discount was over already.",
};

/** Nothing is lost by waiting: an import is at work on the same records. */
export const BUSY =
  "Nothing was changed: an import is writing to the shop at this moment. Try again in a minute.";

/** `GET /operator/discounts/:id/end`: asks before anything happens. */
export function showEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const known = await findKnown(db, req.params.id);
    await renderPage(req, res, "donate/operator/end", head(), await describeEnd(db, known, undefined));
  };
}

/** `POST /operator/discounts/:id/end`: ends what runs, withdraws what comes. */
export function confirmEnd(db: Db): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { id } = await findKnown(db, req.params.id);
    const wanted = req.body?.wanted === "withdraw" ? "withdraw" : "end";
    const outcome = await endDiscount(db, id, wanted);
    if (outcome === "gone") throw notFound("discount");
    if (outcome === "busy") {
      const known = await findKnown(db, id);
      return renderPage(req, res, "donate/operator/end", head(503), await describeEnd(db, known, BUSY));
    }
    if (outcome === "started meanwhile") {
      const known = await findKnown(db, id);
      const notice =
        "It has started meanwhile, and those who wait for it have been told or are being told now.";
      return renderPage(req, res, "donate/operator/end", head(409), await describeEnd(db, known, notice));
    }
    req.session.flash = DONE[outcome];
    await saveSession(req);
    res.set("Cache-Control", "no-store").redirect(303, paths.operatorDiscounts());
  };
}

function head(status?: number) {
  return { title: "End a discount", noindex: true, styles: ["donate"], ...(status && { status }) };
}

/** What the item costs without this discount, where it runs: another one may run too. */
async function describeEnd(db: Db, known: KnownDiscount, notice: string | undefined) {
  const item = { price: known.item_price, currency: known.currency };
  const rest = (await listDiscountsOf(db, known.item_key)).filter(
    ({ id, phase }) => id !== known.id && phase === "running",
  );
  const next = bestDiscount(item, rest);
  return {
    known,
    notice,
    newPrice: discountedPrice(item, known),
    after: next?.newPrice ?? known.item_price,
    next: next?.discount,
  };
}

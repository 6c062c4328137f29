import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { discountedPrice } from "../../records/prices/prices.ts";
import { shownName } from "../../records/shown-name.ts";
import { titlesIn } from "../../records/shown-title.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { paginate } from "../../web/request/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../../web/request/params.ts";
import { keepPendingForm } from "../../web/request/pending-form.ts";
import { admitFew } from "../../web/server/admission.ts";
import { only } from "../../web/server/methods.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { countDiscounts, itemOf, type KnownDiscount, listDiscounts, PHASES } from "../discount-queries.ts";
import { confirmEnd, showEnd } from "./end-pages.ts";
import { FIELDS } from "./form.ts";
import {
  sendDiscountForm,
  sendNewDiscountForm,
  showDiscountForm,
  showNewDiscountForm,
} from "./form-pages.ts";

const PAGE_SIZE = 50;

export const discountsInput = z.object({
  q: searchText.default(""),
  phase: oneOf(["running", "coming", "past"]).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** Reads the form of a discount; after a log-in, its draft has the same id and what was typed. */
const readDiscount = [keepPendingForm([...FIELDS, "id", "version"]), ...readOperatorForm];

/** The pages where operators plan, change and end discounts. */
export function operatorDiscountPages({ db }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  const discount = `${paths.operatorDiscounts()}/:id`;
  router
    .route(paths.operatorDiscounts())
    .get(requireOperator, admitFew()(showDiscounts(db)))
    .all(only("GET", "HEAD"));
  type Handler = RequestHandler<{ id: string }>;
  const forms: [string, Handler, RequestHandler[], Handler][] = [
    [paths.operatorNewDiscount(), showNewDiscountForm(db), readDiscount, sendNewDiscountForm(db)],
    [discount, showDiscountForm(db), readDiscount, sendDiscountForm(db)],
    [`${discount}/end`, showEnd(db), readOperatorForm, confirmEnd(db)],
  ];
  for (const [path, show, read, send] of forms) {
    router
      .route(path)
      .get(requireOperator, show)
      .post(read, send)
      .all(only("GET", "HEAD", "POST"));
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
    await renderPage(req, res, "shop/operator/list", listHead(t("operator.discounts.title")), {
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
    });
  };
}

function listHead(title: string) {
  return { title, noindex: true, styles: ["shop/shop"] };
}

function present(discount: KnownDiscount, language: Language) {
  const item = itemOf(discount);
  return { ...discount, shown: shownName(item, language), newPrice: discountedPrice(item, discount) };
}

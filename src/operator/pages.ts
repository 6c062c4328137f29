import { type RequestHandler, Router } from "express";
import { requireOperator } from "../http/form.ts";
import { localeOf } from "../http/locale.ts";
import { only } from "../http/methods.ts";
import { renderPage } from "../http/page.ts";
import { paths } from "../urls.ts";

/** The operators' front page. */
export function operatorPages(): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.operator()).get(requireOperator, showOperatorPage).all(only("GET", "HEAD"));
  return router;
}

const showOperatorPage: RequestHandler = async (req, res) => {
  await renderPage(req, res, "operator/home", { title: localeOf(req).t("operator.title"), noindex: true });
};

import { type RequestHandler, Router } from "express";
import { methodNotAllowed } from "../http/errors.ts";
import { requireOperator } from "../http/form.ts";
import { localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import { paths } from "../urls.ts";

/** Where operators find what only they can do. */
export function operatorPages(): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operator())
    .get(requireOperator, showOperatorPage)
    .all((_req, _res, next) => next(methodNotAllowed(["GET", "HEAD"])));
  return router;
}

const showOperatorPage: RequestHandler = async (req, res) => {
  await renderPage(req, res, "operator/home", { title: localeOf(req).t("operator.title"), noindex: true });
};

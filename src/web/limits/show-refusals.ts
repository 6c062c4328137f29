import { type RequestHandler, Router } from "express";
import { pageErrorHandler } from "../pages/error-page.ts";
import { readPathLanguage } from "../request/locale.ts";

/** Shows requests that are over a limit an error page; to be mounted before all that answers. */
export function showRefusals(siteData: RequestHandler): Router {
  const router = Router();
  router.use((req, _res, next) => next(req.refusal === undefined ? "router" : undefined));
  router.use(readPathLanguage, siteData);
  router.use((req, _res, next) => next(req.refusal));
  router.use(pageErrorHandler);
  return router;
}

import { type RequestHandler, Router } from "express";
import { hasDemoData, hasRealRecords } from "../demo/queries.ts";
import type { AppContext } from "../http/context.ts";
import { requireOperator } from "../http/form.ts";
import { localeOf } from "../http/locale.ts";
import { only } from "../http/methods.ts";
import { renderPage } from "../http/page.ts";
import { paths } from "../urls.ts";
import { findConcerns } from "./concerns.ts";
import { firstSteps } from "./first-steps.ts";
import { hasPlaces } from "./queries.ts";

/** The operators' front page: what needs attention, and what is left to do until the site is theirs. */
export function operatorPages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.route(paths.operator()).get(requireOperator, showOperatorPage(context)).all(only("GET", "HEAD"));
  return router;
}

function showOperatorPage(context: AppContext): RequestHandler {
  const { db, config, vocabulary } = context;
  return async (req, res) => {
    const locale = localeOf(req);
    const [concerns, hasRecords, hasDemo, placed] = await Promise.all([
      findConcerns(context, locale),
      hasRealRecords(db),
      hasDemoData(db),
      hasPlaces(db),
    ]);
    const steps = firstSteps(config, {
      hasRecords,
      hasDemo,
      hasPlaces: placed,
      hasVocabulary: Object.keys(vocabulary.file).length > 0,
    });
    const head = { title: locale.t("operator.title"), noindex: true, styles: ["operator"] };
    await renderPage(req, res, "operator/home", head, {
      concerns,
      steps,
      done: steps.filter(({ isDone }) => isDone).length,
    });
  };
}

import path from "node:path";
import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { readBackupState } from "../../db/backup-state-queries.ts";
import { hasDemoRecords, hasRealRecords } from "../../records/demo-records.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf } from "../../web/request/params.ts";
import { only } from "../../web/server/methods.ts";
import { paths } from "../../words/urls.ts";
import { findConcerns } from "./concerns.ts";
import { firstSteps, MARKABLE_STEPS, SETTINGS_FILE } from "./first-steps.ts";
import { hasPlaces, isStepMarked, markStepDone } from "./queries.ts";

/** The operators' front page: problems, and the remaining steps to make the site their own. */
export function operatorPages(context: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operator())
    .get(requireOperator, showOperatorPage(context))
    .post(readOperatorForm, takeStep(context))
    .all(only("GET", "HEAD", "POST"));
  return router;
}

const stepForm = z.object({ done: oneOf(MARKABLE_STEPS) });

function takeStep({ db }: Pick<BaseContext, "db">): RequestHandler {
  return async (req, res) => {
    const { done } = parseInput(stepForm, req);
    await markStepDone(db, done);
    res.redirect(303, localeOf(req).paths.operator());
  };
}

function showOperatorPage(context: BaseContext): RequestHandler {
  const { db, config, vocabulary } = context;
  return async (req, res) => {
    const locale = localeOf(req);
    // One after the other, because there are more statements than a pool has connections.
    const concerns = await findConcerns(context, locale);
    const [hasRecords, hasDemo, placed, isBackupTold, backups] = await Promise.all([
      hasRealRecords(db),
      hasDemoRecords(db),
      hasPlaces(db),
      isStepMarked(db, "backup"),
      readBackupState(db),
    ]);
    const steps = firstSteps(config, {
      hasRecords,
      hasDemo,
      hasBackup: isBackupTold || backups?.doneAt !== undefined,
      hasPlaces: placed,
      hasVocabulary: Object.keys(vocabulary.file).length > 0,
    });
    const head = { title: locale.t("operator.title"), noindex: true, styles: ["home/operator"] };
    await renderPage(req, res, "home/operator/home", head, {
      concerns,
      steps,
      done: steps.filter(({ isDone }) => isDone).length,
      settingsFile: path.resolve(SETTINGS_FILE),
    });
  };
}

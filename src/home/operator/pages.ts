import path from "node:path";
import type { Writable } from "node:stream";
import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { recordAction } from "../../db/audit-queries.ts";
import { readBackupState } from "../../db/backup-state-queries.ts";
import { hasDemoRecords, hasRealRecords, removeDemo } from "../../records/demo-records.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { badInput, notFound } from "../../web/pages/errors.ts";
import { renderPage } from "../../web/pages/page.ts";
import { readOperatorForm, requireOperator } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf } from "../../web/request/params.ts";
import { admitFew } from "../../web/server/admission.ts";
import { refuseOthers } from "../../web/server/methods.ts";
import { actorOf } from "../../web/session/actor.ts";
import { leaveFlash } from "../../web/session/session.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import { findConcerns } from "./concerns.ts";
import { BUTTON_STEPS, firstSteps, SETTINGS_FILE } from "./first-steps.ts";
import { hasPlaces, isStepMarked, markStepDone } from "./queries.ts";

/** Writes a backup of the site. It is handed in, because backups belong to the command line. */
export type WriteBackup = (to: Writable, signal: AbortSignal) => Promise<unknown>;

type Context = BaseContext & { readonly writeBackup: WriteBackup | undefined };

/** The operators' front page: problems, and the remaining steps to make the site their own. */
export function operatorPages(context: Context): Router {
  const router = Router({ caseSensitive: true });
  router
    .route(paths.operator())
    .get(requireOperator, showOperatorPage(context))
    .post(readOperatorForm, takeStep(context))
    .all(refuseOthers);
  router
    .route(paths.operatorBackup())
    .post(readOperatorForm, admitFew({ running: 1, waiting: 1 })(sendBackup(context)))
    .all(refuseOthers);
  return router;
}

const stepForm = z.object({ done: oneOf(BUTTON_STEPS), confirm: oneOf(["yes"]).optional() });

function takeStep({ db }: Pick<BaseContext, "db">): RequestHandler {
  return async (req, res) => {
    const { done, confirm } = parseInput(stepForm, req);
    if (done === "backup") await markStepDone(db, done);
    else if (!confirm) throw badInput([{ param: "confirm", message: lazyText("input.required") }]);
    else {
      await db.transaction(async (transaction) => {
        const before = await removeDemo(transaction);
        await recordAction(transaction, actorOf(req), { action: "demo.removed", before });
      });
      await leaveFlash(req, lazyText("operator.steps.demo.removed"), { tone: "success" });
    }
    res.redirect(303, localeOf(req).paths.operator());
  };
}

/** `POST /operator/backup`: streams it, as a large one takes longer to write than a proxy waits for a first byte. */
function sendBackup({ db, writeBackup }: Context): RequestHandler {
  return async (req, res) => {
    if (!writeBackup) throw notFound("page");
    await recordAction(db, actorOf(req), { action: "backup.downloaded" });
    const closed = new AbortController();
    res.on("close", () => closed.abort());
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
    res.set("Cache-Control", "no-store").attachment(`almanac-${time}.tar`);
    await writeBackup(res, closed.signal).catch((error: unknown) => {
      if (!closed.signal.aborted) throw error;
    });
  };
}

function showOperatorPage(context: Context): RequestHandler {
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
      hasBackups: context.writeBackup !== undefined,
      settingsFile: path.resolve(SETTINGS_FILE),
    });
  };
}

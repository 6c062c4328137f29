import { setTimeout as delay } from "node:timers/promises";
import type { Request } from "express";
import type { Knex } from "knex";
import type { BaseContext } from "../../web/pages/context.ts";
import { notFound } from "../../web/pages/errors.ts";
import { type FieldErrors, readForm } from "../../web/request/form.ts";
import { parseInput } from "../../web/request/input.ts";
import { localeOf } from "../../web/request/locale.ts";
import { logSecurity } from "../../web/server/security-log.ts";
import type { Tone } from "../../web/session/session.ts";
import type { Translatable } from "../../words/i18n/lazy-text.ts";
import {
  changeWebhook,
  findOutcome,
  type Owner,
  removeWebhook,
  renewSecret,
  sendTest,
  switchWebhook,
  type Webhook,
} from "./queries.ts";
import { actionForm, readChoice, webhookForm } from "./schemas.ts";
import { reasonText } from "./shown.ts";

/** The outcome of a button: errors of a form, a new secret to show, or the message of the next page. */
export type Done =
  | { readonly errors: FieldErrors }
  | { readonly salt: Buffer }
  | { readonly said: Translatable; readonly tone?: Tone; readonly isGone?: boolean };

interface WebhookOwnerPages {
  readonly isSite: boolean;
  owner(req: Request): Owner;
}

/** How long a test's form waits for the outcome, so that the next page can show it. */
const OUTCOME_MS = 3_000;
const LOOK_MS = 150;

/** Runs the action of a button on a webhook's page. */
export async function actOnWebhook(
  context: BaseContext,
  side: WebhookOwnerPages,
  req: Request,
  hook: Webhook,
): Promise<Done> {
  if (req.isReplay) return { errors: {} };
  const { db } = context;
  const { action } = parseInput(actionForm, req);
  const { t } = localeOf(req);
  const owner = side.owner(req);
  const log = (change: string) => logSecurity(req, "webhook.changed", { webhook: hook.id, change });
  switch (action) {
    case "save":
      return save(context, side, req, hook);
    case "test":
      return test(db, req, owner, hook);
    case "on":
    case "off":
      await switchWebhook(db, owner, hook.id, action);
      log(action);
      return { said: action === "on" ? t("webhooks.flash.on") : t("webhooks.flash.off") };
    case "new_secret": {
      const salt = await renewSecret(db, owner, hook.id);
      if (!salt) throw notFound("webhook");
      log("secret");
      return { salt };
    }
    case "remove": {
      const name = await removeWebhook(db, owner, hook.id);
      if (name === undefined) throw notFound("webhook");
      logSecurity(req, "webhook.removed", { webhook: hook.id });
      return { said: t("webhooks.flash.removed", { name }), isGone: true };
    }
  }
}

async function save(
  { config, db }: BaseContext,
  side: WebhookOwnerPages,
  req: Request,
  hook: Webhook,
): Promise<Done> {
  const { t } = localeOf(req);
  const form = readForm(webhookForm, req);
  if (form.errors) return { errors: form.errors };
  const read = readChoice(form.values, side, config, t);
  if ("errors" in read) return read;
  const { choice, destination } = read;
  const { name = hook.name } = form.values;
  await changeWebhook(db, side.owner(req), hook.id, { name, ...choice, ...destination });
  logSecurity(req, "webhook.changed", { webhook: hook.id, change: destination ? "address" : "choice" });
  return { said: t("webhooks.flash.saved") };
}

async function test(db: Knex, req: Request, owner: Owner, hook: Webhook): Promise<Done> {
  const { t } = localeOf(req);
  const sent = await sendTest(db, owner, hook.id);
  if (sent === "off") return { said: t("webhooks.flash.test_off"), tone: "danger" };
  if (sent === "too many") return { said: t("webhooks.flash.test_limit"), tone: "danger" };
  const outcome = await readOutcome(db, sent);
  if (outcome?.state === "sent") return { said: t("webhooks.flash.test_sent") };
  const reason = reasonText(outcome?.reason ?? null, t);
  return reason === undefined
    ? { said: t("webhooks.flash.test_waits"), tone: "info" }
    : { said: t("webhooks.flash.test_failed", { reason }), tone: "danger" };
}

/** The outcome of a test after its first attempt, or after some seconds. */
async function readOutcome(db: Knex, delivery: number) {
  const until = performance.now() + OUTCOME_MS;
  for (;;) {
    const outcome = await findOutcome(db, delivery);
    if (outcome?.state !== "waiting" || outcome.reason !== null || performance.now() > until) return outcome;
    await delay(LOOK_MS);
  }
}

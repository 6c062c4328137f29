import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import type { Tasks } from "../../db/jobs.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { mailPaths } from "../mail/links.ts";
import { mailHost } from "../mail/mailer.ts";
import { type MailTaskContext, renderMail } from "../mail/render.ts";
import { MailRefusedError } from "../mail/smtp.ts";

const payloadSchema = z.object({ webhookId: z.number(), userId: z.number() });

/** The mail about a webhook that was switched off because its receiver failed for days. */
export function webhookMailTasks({ db, mailer, site, log }: MailTaskContext): Tasks {
  return {
    tell_webhook_failed: async (payload) => {
      const { webhookId, userId } = payloadSchema.parse(payload);
      const found = await findFailed(db, webhookId, userId);
      if (!found) return;
      const { language, email, user, webhook, isOfSite } = found;
      const paths = mailPaths(language);
      const path = isOfSite ? paths.operatorWebhook(webhookId) : paths.webhook(webhookId);
      const data = { name: user, webhook, link: absoluteUrl(site.baseUrl, path) };
      const mail = await renderMail(site, language, "webhook-failed", data);
      const messageId = `<webhook-${webhookId}-${userId}-${found.since}@${mailHost(site.baseUrl)}>`;
      try {
        await mailer.send({ to: email, messageId, ...mail });
      } catch (error) {
        if (!(error instanceof MailRefusedError)) throw error;
        log.warn({ err: error, mail: "webhook" }, "a mail was refused for good");
      }
    },
  };
}

interface FailedWebhook {
  readonly email: string;
  readonly language: string | null;
  readonly user: string;
  readonly webhook: string;
  readonly isOfSite: boolean;
  /** Seconds since 1970, constant across attempts at the mail. */
  readonly since: number;
}

/** Undefined if the webhook is on again, or the webhook or its owner is gone. */
async function findFailed(db: Db, webhookId: number, userId: number): Promise<FailedWebhook | undefined> {
  return db("webhooks as hook")
    .join("users", (join) => join.on("users.id", db.raw("?", [userId])))
    .where({ "hook.id": webhookId, "hook.state": "failed" })
    .whereNotNull("users.confirmed_email")
    .first(
      "users.confirmed_email as email",
      "users.language",
      "users.name as user",
      "hook.name as webhook",
      db.raw(`hook.user_id is null as "isOfSite"`),
      db.raw("coalesce(extract(epoch from hook.failing_since), 0)::int as since"),
    );
}

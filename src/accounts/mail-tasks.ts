import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import type { Tasks } from "../db/jobs.ts";
import { mailHost } from "../notifications/mail/mailer.ts";
import { type MailTaskContext, type RenderedMail, renderMail } from "../notifications/mail/render.ts";
import { MailRefusedError } from "../notifications/mail/smtp.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { findFormerOwner, issueConfirmation, listOwners, type MailRecipient } from "./address-queries.ts";
import { issueToken, TOKEN_MINUTES } from "./token-queries.ts";

/** Jobs of version 0.1 have no `passwordSetAt`. */
const confirmation = z.object({ userId: z.number(), passwordSetAt: z.string().optional() });
const passwordReset = z.object({ email: z.string() });
const replacement = z.object({ userId: z.number(), email: z.string() });

/**
 * The mails of accounts. Tokens are created just before sending, so that none is stored in a job. A retry sends another
 * token; earlier ones keep working, because their mail may have arrived after all.
 */
export function accountMailTasks(context: MailTaskContext): Tasks {
  return {
    send_confirmation: async (payload) => sendConfirmation(context, confirmation.parse(payload)),
    send_password_reset: async (payload) => sendPasswordReset(context, passwordReset.parse(payload).email),
    tell_replaced_address: async (payload) => notifyReplacedAddress(context, replacement.parse(payload)),
  };
}

/** Does nothing if the address was confirmed or removed since, or the password has changed. */
async function sendConfirmation(
  context: MailTaskContext,
  { userId, ...asked }: z.output<typeof confirmation>,
): Promise<void> {
  const issued = await issueConfirmation(context.db, userId, asked);
  if (!issued) return;
  const { name, language, email, token } = issued;
  const link = absoluteUrl(context.site.baseUrl, paths.confirmEmail(token));
  const data = { name, link, minutes: TOKEN_MINUTES };
  await send(context, "confirm", email, await renderMail(context.site, language, "confirm-email", data));
}

/**
 * Sends to the addresses of accounts, not to the typed one, because letters that are equal in the database may differ
 * to a mail server. One mail for all accounts of an address.
 */
async function sendPasswordReset(context: MailTaskContext, typed: string): Promise<void> {
  const byAddress = new Map<string, MailRecipient[]>();
  for (const owner of await listOwners(context.db, typed)) {
    byAddress.set(owner.email, [...(byAddress.get(owner.email) ?? []), owner]);
  }
  for (const [address, owners] of byAddress) {
    const language = owners.find((owner) => owner.language !== null)?.language ?? null;
    const accounts = await resetLinks(context.db, context.site, owners);
    const data = { accounts, minutes: TOKEN_MINUTES };
    await send(context, "password", address, await renderMail(context.site, language, "new-password", data));
  }
}

async function resetLinks(db: Db, site: MailTaskContext["site"], owners: MailRecipient[]) {
  const accounts: { name: string; link: string }[] = [];
  for (const owner of owners) {
    const token = await issueToken(db, "reset", owner);
    accounts.push({ name: owner.name, link: absoluteUrl(site.baseUrl, paths.newPassword(token)) });
  }
  return accounts;
}

async function notifyReplacedAddress(
  context: MailTaskContext,
  { userId, email }: { userId: number; email: string },
): Promise<void> {
  const user = await findFormerOwner(context.db, userId);
  if (!user) return;
  const data = { name: user.name, link: absoluteUrl(context.site.baseUrl, paths.profile()) };
  const mail = await renderMail(context.site, user.language, "address-replaced", data);
  await send(context, "address", email, mail);
}

/** A mail that is refused for good ends its job, because a retry would be refused too. */
async function send(
  { mailer, site, log }: MailTaskContext,
  kind: string,
  to: string,
  mail: RenderedMail,
): Promise<void> {
  const messageId = `<${kind}-${randomUUID()}@${mailHost(site.baseUrl)}>`;
  try {
    await mailer.send({ to, messageId, ...mail });
  } catch (error) {
    if (!(error instanceof MailRefusedError)) throw error;
    log.warn({ err: error, mail: kind }, "a mail was refused for good");
  }
}

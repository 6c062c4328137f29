import { z } from "zod";
import { viewerOf } from "../../web/pages/page.ts";
import { readForm, typedText } from "../../web/request/form.ts";
import { localeOf } from "../../web/request/locale.ts";
import { oneOf, wholeNumber } from "../../web/request/params.ts";
import { createDigestSender } from "../email/digest-sender.ts";
import { createEmailSender } from "../email/sender.ts";
import { EMAIL_CHOICES, findMailAddress, saveSettings } from "../settings-queries.ts";
import type { Channel, SettingsContext, SettingsSection } from "./channel.ts";

const form = z.object({
  email: oneOf(EMAIL_CHOICES),
  digest_hour: wholeNumber(0, 23).optional(),
});

/** The section for single mails and for the daily one. */
const settings: SettingsSection = {
  title: (t) => t("notifications.email.title"),
  labels: (t) => ({
    email: t("notifications.email.title"),
    digest_hour: t("notifications.email.hour_short"),
  }),
  async load({ config }, req, { email, digestHour }) {
    const typed = typedText(req, ["email", "digest_hour"]);
    return {
      sendsMail: config.mail.kind !== "none",
      // A refused form keeps what the user typed.
      typed: { email: typed.email || email, hour: typed.digest_hour || digestHour },
    };
  },
  // Refused if the site cannot send mail, so that nobody waits for one.
  async save(context, req) {
    const { values, errors } = readForm(form, req);
    if (errors) return { errors };
    const { email, digest_hour: digestHour } = values;
    const { id } = viewerOf(req);
    const { t } = localeOf(req);
    const error = email === "off" ? undefined : await mailError(context, id);
    if (error !== undefined) return { errors: { email: t(error) } };
    await saveSettings(context.db, id, { email, ...(digestHour !== undefined && { digestHour }) });
    return { said: t(`notifications.email.saved_${email}`) };
  },
};

async function mailError({ config, db }: SettingsContext, userId: number) {
  if (config.mail.kind === "none") return "notifications.error.no_mail";
  const { confirmedEmail } = await findMailAddress(db, userId);
  return confirmedEmail === null ? "notifications.error.no_address" : undefined;
}

/** One mail per notification, to the address that the user confirmed. */
export const email: Channel = {
  name: "email",
  delivery: {
    label: "operator.deliveries.email",
    sends: "notification",
    byMail: true,
    asked: "setting.email = 'each'",
    // Waiting deliveries are still sent to users who switched between single and daily mails.
    wanted: "setting.email <> 'off'",
    missing: ({ mail }) => (mail.kind === "none" ? "notifications.email.none_sent" : undefined),
    createSender: ({ mailer, site }) => mailer && createEmailSender(mailer, site),
  },
  settings,
};

/** At most one mail a day with all waiting notifications. Its settings are part of the e-mail section. */
export const digest: Channel = {
  name: "digest",
  delivery: {
    label: "operator.deliveries.digest",
    sends: "digest",
    byMail: true,
    asked: "setting.email = 'daily'",
    wanted: "setting.email <> 'off'",
    missing: email.delivery?.missing,
    createSender: ({ mailer, site }) => mailer && createDigestSender(mailer, site),
  },
};

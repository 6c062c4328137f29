import { z } from "zod";
import { viewerOf } from "../web/pages/page.ts";
import { type FieldErrors, readForm, typedText } from "../web/request/form.ts";
import { localeOf } from "../web/request/locale.ts";
import { wholeNumber } from "../web/request/params.ts";
import type { Translate } from "../words/i18n/translate.ts";
import type { SettingsSection } from "./channels/channel.ts";
import { saveSettings } from "./settings-queries.ts";

const hour = wholeNumber(0, 23).optional();
const form = z.object({ quiet_from: hour, quiet_until: hour });

export const quietHours: SettingsSection = {
  title: (t) => t("notifications.quiet.title"),
  labels: (t) => ({ quiet_from: t("notifications.quiet.from"), quiet_until: t("notifications.quiet.until") }),
  async load(_context, req, { quietFrom, quietUntil }) {
    const typed = typedText(req, ["quiet_from", "quiet_until"]);
    // A refused form keeps what the user chose.
    return { chosen: req.method === "POST" ? typed : { quiet_from: quietFrom, quiet_until: quietUntil } };
  },
  async save({ db }, req) {
    const { t } = localeOf(req);
    const { values, errors } = readForm(form, req);
    const wrong = errors ?? quietErrors(values, t);
    if (Object.keys(wrong).length > 0) return { errors: wrong };
    const { quiet_from: quietFrom = null, quiet_until: quietUntil = null } = values ?? {};
    await saveSettings(db, viewerOf(req).id, { quietFrom, quietUntil });
    return { said: quietFrom === null ? t("notifications.quiet.saved_off") : t("notifications.quiet.saved") };
  },
};

/** The errors in the two hours of a form, by field: one without the other, or both the same. */
export function quietErrors(
  { quiet_from: from, quiet_until: until }: z.output<typeof form>,
  t: Translate,
): FieldErrors {
  if (from === undefined && until !== undefined) return { quiet_from: t("notifications.quiet.missing") };
  if (until === undefined && from !== undefined) return { quiet_until: t("notifications.quiet.missing") };
  return from !== undefined && from === until ? { quiet_until: t("notifications.quiet.same") } : {};
}

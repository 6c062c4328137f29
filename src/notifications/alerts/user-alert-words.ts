import { intlLocale, type Language } from "../../words/i18n/languages.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { UserAlert } from "./user-alert-queries.ts";

/** A user's alerts for a server in words: `back online, queue under 10`; undefined without any. */
export function askedWords(
  alerts: readonly UserAlert[],
  t: Translate,
  language: Language,
): string | undefined {
  if (alerts.length === 0) return undefined;
  const number = new Intl.NumberFormat(intlLocale(language));
  const words = {
    down: () => t("servers.alerts.short.down"),
    up: () => t("servers.alerts.short.up"),
    slot: () => t("servers.alerts.short.slot"),
    queue: (figure: string) => t("servers.alerts.short.queue", { figure }),
    online: (figure: string) => t("servers.alerts.short.online", { figure }),
  };
  return alerts.map(({ what, value }) => words[what](number.format(value ?? 0))).join(", ");
}

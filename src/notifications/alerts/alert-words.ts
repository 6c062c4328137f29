import { intlLocale, type Language } from "../../words/i18n/languages.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { ServerAlert } from "./alert.ts";
import type { UserAlert } from "./user-alert-queries.ts";

/**
 * An alert in words, the same in the inbox and by every channel: `Bayside City is back online`, and
 * `12 of 50 online, 0 in the queue`, or undefined if no figure is known.
 */
export function alertWords(alert: ServerAlert, t: Translate, language: Language) {
  const number = (value: number) => new Intl.NumberFormat(intlLocale(language)).format(value);
  const { serverName: name, what, online, queue, maxOnline } = alert;
  const figure = number(alert.value ?? 0);
  const titles = {
    down: () => t("notifications.alert.down", { name }),
    up: () => t("notifications.alert.up", { name }),
    slot: () => t("notifications.alert.slot", { name }),
    queue: () => t("notifications.alert.queue", { name, figure }),
    online: () => t("notifications.alert.online", { name, figure }),
  };
  const players =
    online === null
      ? undefined
      : maxOnline === null
        ? t("servers.server.last_online_count", { figure: number(online) })
        : t("servers.server.last_online_of", { figure: number(online), maximum: number(maxOnline) });
  const waiting = queue === null ? undefined : t("servers.server.last_queue", { figure: number(queue) });
  const known = [players, waiting].filter((text) => text !== undefined);
  return { title: titles[what](), figures: known.length === 0 ? undefined : known.join(", ") };
}

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

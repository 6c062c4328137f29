import type { Locale } from "../../web/request/locale.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { catalogueKinds } from "../../words/kinds/kinds.ts";
import { EVENTS, type EventWord, WORD_OF } from "./events.ts";
import type { ListedDelivery, Webhook } from "./queries.ts";

/** How many characters of a path are shown: enough to recognise an address, too few to post to it. */
const PATH_CHARACTERS = 6;

/** An address without its secret: the host and the beginning of the path; for Discord, all but the token. */
export function shortAddress(address: string): string {
  const { host, pathname, search } = new URL(address);
  const known = /^.*\/webhooks\/\d+\//.exec(pathname)?.[0];
  if (known !== undefined) return `${host}${known}…`;
  const rest = pathname + search;
  return rest.length <= PATH_CHARACTERS ? host + rest : `${host}${rest.slice(0, PATH_CHARACTERS)}…`;
}

/** A code of Discord's errors: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const FORUM_WITHOUT_THREAD = "220001";

/** The outcome of a delivery or an attempt, for users; undefined without one. */
export function reasonText(reason: string | null, t: Translate): string | undefined {
  if (reason === null) return undefined;
  const [word = "", detail = "", ...rest] = reason.split(" ");
  switch (word) {
    case "status":
      return /^3/.test(detail)
        ? t("webhooks.reason.redirect", { status: detail })
        : t("webhooks.reason.status", { status: detail });
    case "discord":
      return detail === FORUM_WITHOUT_THREAD
        ? t("webhooks.reason.discord_forum", { parameter: "?thread_id=" })
        : t("webhooks.reason.discord", { said: rest.join(" "), code: detail });
    case "timeout":
      return t("webhooks.reason.timeout", { count: Number(detail) });
    case "not_public":
      return t("webhooks.reason.not_public");
    case "not_opened":
      return t("webhooks.reason.not_opened", { code: "PRIVATE_ADDRESSES" });
    case "tls":
      return t("webhooks.reason.tls", { code: detail });
    case "discarded":
      return reasonText(reason.split("; ")[1] ?? null, t);
    case "off":
      return t("webhooks.reason.off");
    case "over":
      return t("webhooks.reason.over");
    case "broken":
      return t("webhooks.reason.broken", { code: detail });
    default:
      return undefined;
  }
}

/** What happened, as the list of deliveries shows it: `Discounts: 12`. */
export function eventText(
  { type, count, kind }: Pick<ListedDelivery, "type" | "count" | "kind">,
  { t, format }: Pick<Locale, "t" | "format">,
): string {
  if (type === "test") return t("webhooks.delivery.test");
  const figure = format.number(count ?? 0);
  switch (type) {
    case "discount.started":
      return t("webhooks.delivery.discounts", { figure });
    case "server.down":
      return t("webhooks.delivery.down", { figure });
    case "server.up":
      return t("webhooks.delivery.up", { figure });
    default: {
      const section = t(`kinds.${kind ?? "items"}.many`);
      return WORD_OF[type] === "entry_new"
        ? t("webhooks.message.added", { kind: section, figure })
        : t("webhooks.message.changed", { kind: section, figure });
    }
  }
}

export function eventLabels(t: Translate): Record<EventWord, string> {
  return {
    discount: t("webhooks.event.discount"),
    entry_new: t("webhooks.event.entry_new"),
    entry_changed: t("webhooks.event.entry_changed"),
    server: t("webhooks.event.server"),
  };
}

/** A webhook as lists and its page show it. */
export function shownWebhook(hook: Webhook, t: Translate) {
  const labels = eventLabels(t);
  return {
    id: hook.id,
    name: hook.name,
    address: shortAddress(hook.url),
    isSigned: hook.format === "signed",
    state: hook.state,
    failure: reasonText(hook.last_failure, t),
    lastSentAt: hook.last_sent_at,
    events: EVENTS.filter((word) => hook.events.includes(word)).map((word) => labels[word]),
  };
}

/** The choices of kinds: all, then each. */
export function kindChoices(t: Translate): [string, string][] {
  return [
    ["", t("webhooks.field.all_kinds")],
    ...catalogueKinds().map((kind): [string, string] => [kind, t(`kinds.${kind}.many`)]),
  ];
}

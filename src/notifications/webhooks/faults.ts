import type { FieldErrors } from "../../web/request/form.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import type { AddressFault } from "./address.ts";
import type { Destination } from "./destination.ts";
import type { WebhookChoice } from "./queries.ts";

/** What is wrong with a webhook's form beside its single fields. */
export function faults(
  read: Destination | { readonly fault: AddressFault } | undefined,
  {
    events,
    quiet_from: from,
    quiet_until: until,
  }: Pick<WebhookChoice, "events" | "quiet_from" | "quiet_until">,
  t: Translate,
): FieldErrors {
  return {
    ...(read && "fault" in read && { address: t(`webhooks.address.${read.fault}`) }),
    ...(from === null && until !== null && { quiet_from: t("notifications.quiet.missing") }),
    ...(until === null && from !== null && { quiet_until: t("notifications.quiet.missing") }),
    ...(from !== null && from === until && { quiet_until: t("notifications.quiet.same") }),
    ...(events.length === 0 && { events: t("webhooks.error.no_event") }),
  };
}

import type { FieldErrors } from "../http/form.ts";
import type { Translate } from "../i18n/translate.ts";
import type { AddressFault } from "./address.ts";
import type { Destination } from "./destination.ts";

/** What is wrong with a webhook's form beside its single fields. */
export function faults(
  read: Destination | { readonly fault: AddressFault } | undefined,
  events: number,
  t: Translate,
): FieldErrors {
  return {
    ...(read && "fault" in read && { address: t(`webhooks.address.${read.fault}`) }),
    ...(events === 0 && { events: t("webhooks.error.no_event") }),
  };
}

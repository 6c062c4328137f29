import { z } from "zod";
import type { Config } from "../../settings/config.ts";
import type { FieldErrors } from "../../web/request/form.ts";
import { oneOf, text, wholeNumber } from "../../web/request/params.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import type { Translate } from "../../words/i18n/translate.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { quietErrors } from "../quiet-hours-settings.ts";
import { type Destination, readDestination } from "./address.ts";
import { EVENTS, type EventWord, SCOPES } from "./events.ts";
import type { WebhookChoice } from "./queries.ts";

const NAME_CHARACTERS = 60;

const box = z.literal("1").optional().catch(undefined);
const boxes = { discount: box, entry_new: box, entry_changed: box, server: box } satisfies Record<
  EventWord,
  unknown
>;

/** Minutes that an outage may have to last. */
export const OUTAGE_MINUTES = [0, 2, 5, 10, 15, 30, 60] as const;
export const USUAL_OUTAGE_MIN = 5;

/** The choices of such minutes for a form. */
export function outageChoices(minutes: readonly number[], t: Translate): [value: string, label: string][] {
  return minutes.map((count) => [
    `${count}`,
    count === 0 ? t("webhooks.field.outage_none") : t("webhooks.field.outage_minutes", { count }),
  ]);
}

const hour = wholeNumber(0, 23).optional();

/** The fields of both forms. An empty `kind` means all kinds, which change while the site runs. */
const fields = {
  name: text(1, NAME_CHARACTERS).optional(),
  ...boxes,
  scope: oneOf(SCOPES).default("all"),
  kind: z
    .custom<CatalogueKind>((kind) => typeof kind === "string" && isCatalogueKind(kind), {
      error: zodMessage("input.one_of_list"),
    })
    .optional(),
  outage_min: wholeNumber(0, 60).default(USUAL_OUTAGE_MIN),
  quiet_from: hour,
  quiet_until: hour,
  language: z.string().refine((code) => LANGUAGES.includes(code), zodMessage("input.one_of_list")),
};

const address = z.string({ error: zodMessage("input.required") });

/** Adds a webhook, once per form, so that a second click adds no other. */
export const newWebhookForm = z.object({
  address,
  ...fields,
  form_id: z.uuid().optional().catch(undefined),
});

/** Changes a webhook; without an address it keeps its own. */
export const webhookForm = z.object({ address: address.optional(), ...fields });

/** The actions of the buttons on a webhook's page. */
const ACTIONS = ["save", "test", "on", "off", "new_secret", "remove"] as const;
export const actionForm = z.object({ action: oneOf(ACTIONS) });

type Values = Omit<z.output<typeof webhookForm>, "name">;

/** The settings in a form, without the name. */
type Choice = Omit<WebhookChoice, "name">;

/** The settings in a form, with the destination if it has an address, or the errors by field. */
export function readChoice(
  { address, language, scope, kind, outage_min, ...values }: Values,
  { isSite }: { readonly isSite: boolean },
  config: Pick<Config, "privateAddresses">,
  t: Translate,
): { errors: FieldErrors } | { choice: Choice; destination: Destination | undefined } {
  const read = address === undefined ? undefined : readDestination(address, { isSite }, config);
  const events = EVENTS.filter((word) => values[word] !== undefined);
  const errors: FieldErrors = {
    ...(read && "fault" in read && { address: t(`webhooks.address.${read.fault}`) }),
    ...quietErrors(values, t),
    ...(events.length === 0 && { events: t("webhooks.error.no_event") }),
  };
  if ((read && "fault" in read) || Object.keys(errors).length > 0) return { errors };
  const { quiet_from = null, quiet_until = null } = values;
  const choice = {
    events,
    scope: isSite ? ("all" as const) : scope,
    kind: kind ?? null,
    language,
    outage_min,
    quiet_from,
    quiet_until,
  };
  return { choice, destination: read };
}

import { z } from "zod";
import { oneOf, text, wholeNumber } from "../../web/request/params.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, isCatalogueKind } from "../../words/kinds/kinds.ts";
import { EVENTS, type EventWord, SCOPES } from "./events.ts";

const NAME_CHARACTERS = 60;

const box = z.literal("1").optional().catch(undefined);
const boxes = { discount: box, entry_new: box, entry_changed: box, server: box } satisfies Record<
  EventWord,
  unknown
>;

/** Minutes that an outage may have to last. */
export const OUTAGE_MINUTES = [0, 2, 5, 10, 15, 30, 60] as const;
export const USUAL_OUTAGE_MIN = 5;

const hour = wholeNumber(0, 23).optional();

/** The fields that both forms have; `kind` is empty for all kinds, which change while the site runs. */
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

/** Adds a webhook. A form adds one, so that a second click does not add another. */
export const newWebhookForm = z.object({
  address,
  ...fields,
  form_id: z.uuid().optional().catch(undefined),
});

/** Changes a webhook; without an address that stays the same. */
export const webhookForm = z.object({ address: address.optional(), ...fields });

/** What the buttons of a webhook's page do. */
const ACTIONS = ["save", "test", "on", "off", "new_secret", "remove"] as const;
export const actionForm = z.object({ action: oneOf(ACTIONS) });

/** The form's fields for servers. */
export function serverChoice({
  outage_min,
  quiet_from = null,
  quiet_until = null,
}: {
  outage_min: number;
  quiet_from?: number | null | undefined;
  quiet_until?: number | null | undefined;
}) {
  return { outage_min, quiet_from, quiet_until };
}

/** The words of the boxes that are ticked. */
export function chosenEvents(values: Partial<Record<EventWord, string | undefined>>): EventWord[] {
  return EVENTS.filter((word) => values[word] !== undefined);
}

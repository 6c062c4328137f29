import { z } from "zod";
import { type Endpoint, type FormEndpoint, formEndpoint, type WriteContext } from "../../web/api/endpoint.ts";
import { notFound, unauthorized } from "../../web/pages/errors.ts";
import { id, oneOf } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { API_FAVORITE_KINDS, type EntityKind, favoriteKinds } from "../../words/kinds/kinds.ts";
import { findAccount } from "../queries.ts";
import { type PendingFavorite, pageOf, pendingText, toggleMessage } from "./pending-favorite.ts";
import { findNames, toggleFavorite, type Wanted } from "./queries.ts";

const favorite = z.boolean().meta({ description: "Whether it is a favorite now." });

/** Pages send the state they want, so that pressing twice, or in two tabs, has the same result. */
const wanted = oneOf(["yes", "no"]).optional();

const serverToggle = z.object({
  server_id: id(),
  wanted,
});
const toggledServer = z.object({ server_id: z.string(), favorite });

const donateToggle = z.object({
  item_key: id(),
  wanted,
});
const toggledDonateItem = z.object({ item_key: z.string(), favorite });

function createToggleSchema(kinds: readonly EntityKind[]) {
  return {
    input: z.object({ kind: oneOf(kinds), entity_id: id(), wanted }),
    output: z.object({ kind: z.enum(kinds), entity_id: z.string(), favorite }),
  };
}

const entityToggle = createToggleSchema(API_FAVORITE_KINDS);

/** Includes the operator's own kinds. */
function entryToggle() {
  return createToggleSchema(favoriteKinds());
}

/** The toggles. Each call flips once and returns the new state. */
export function favoriteEndpoints(): FormEndpoint[] {
  return [
    toggleEndpoint({
      path: "/api/favorites/toggle",
      operationId: "toggleServerFavorite",
      input: serverToggle,
      output: toggledServer,
      read: ({ server_id }) => ({ kind: "server", id: server_id }),
      answer: ({ server_id }, favorite) => ({ server_id, favorite }),
    }),
    toggleEndpoint({
      path: "/api/donate_favorites/toggle",
      operationId: "toggleDonateFavorite",
      input: donateToggle,
      output: toggledDonateItem,
      read: ({ item_key }) => ({ kind: "donate", id: item_key }),
      answer: ({ item_key }, favorite) => ({ item_key, favorite }),
    }),
    toggleOfEntries("/api/entity_favorites/toggle", "toggleEntityFavorite", entityToggle),
    // The same, including the operator's own kinds.
    toggleOfEntries("/api/entry_favorites/toggle", "toggleEntryFavorite", entryToggle()),
  ];
}

function toggleOfEntries(
  path: Endpoint["path"],
  operationId: Endpoint["operationId"],
  schemas: Pick<ReturnType<typeof entryToggle>, "input" | "output">,
): FormEndpoint {
  return toggleEndpoint({
    path,
    operationId,
    ...schemas,
    read: ({ kind, entity_id }) => ({ kind, id: entity_id }),
    answer: ({ kind, entity_id }, favorite) => ({ kind, entity_id, favorite }),
  });
}

interface Toggle<Input extends ToggleInput, Output extends z.ZodType<unknown, { favorite: boolean }>>
  extends Pick<FormEndpoint<Input, Output>, "path" | "operationId" | "input" | "output"> {
  /** The record in the input. */
  read(input: z.output<Input>): PendingFavorite;
  answer(input: z.output<Input>, favorite: boolean): z.input<Output>;
}

type ToggleInput = z.ZodObject<{ wanted: z.ZodType<Wanted> }>;

function toggleEndpoint<Input extends ToggleInput, Output extends z.ZodType<unknown, { favorite: boolean }>>({
  read,
  answer,
  ...declared
}: Toggle<Input, Output>): FormEndpoint {
  return formEndpoint({
    ...declared,
    access: "login",
    handle: async (input, context) => answer(input, await toggle(context, read(input), input.wanted)),
    page: (input) => pageOf(read(input)),
    // Only additions survive a log-in, because nobody logs in to find fewer favorites than before.
    afterLogIn: (input) => (input.wanted === "yes" ? { favorite: pendingText(read(input)) } : {}),
    flash: async (input, { favorite }, context) => {
      const { kind, id } = read(input);
      const { db, languageFor } = context;
      const [names, user] = await Promise.all([findNames(db, kind, id), findAccount(db, userOf(context))]);
      const name = names ? localName(names, languageFor(user?.language)).name : id;
      return toggleMessage({ kind, id }, name, favorite);
    },
  });
}

const NOBODY = lazyText("errors.detail.account_gone");

function userOf({ userId }: WriteContext): number {
  if (userId === undefined) throw unauthorized(NOBODY);
  return userId;
}

/**
 * True if the record is a favorite now.
 * @throws HttpError 404 for an unknown record, also when removing, because a wrong id must not look like success
 */
async function toggle(
  context: WriteContext,
  { kind, id }: PendingFavorite,
  wanted: Wanted,
): Promise<boolean> {
  const userId = userOf(context);
  const toggled = await context.write((transaction) => toggleFavorite(transaction, userId, kind, id, wanted));
  if (toggled === "no such user") throw unauthorized(NOBODY);
  if (toggled === true) return true;
  if (toggled === "no such record" || !(await findNames(context.db, kind, id)))
    throw notFound(kind === "donate" ? "shop_item" : kind);
  return false;
}

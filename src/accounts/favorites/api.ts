import { type Endpoint, type EndpointContext, endpoint, type FlashContext } from "../../web/api/endpoint.ts";
import { notFound, unauthorized } from "../../web/pages/errors.ts";
import { findViewer } from "../../web/session/queries.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type PendingFavorite, pageOf, pendingText, toggleMessage } from "./pending-favorite.ts";
import { findNames, toggleFavorite, type Wanted } from "./queries.ts";
import {
  donateToggle,
  entityToggle,
  entryToggle,
  serverToggle,
  toggledDonateItem,
  toggledServer,
} from "./schemas.ts";

/** The toggles. Each call flips once and returns the new state. */
export function favoriteEndpoints(): Endpoint[] {
  return [
    ...FIXED_TOGGLES,
    // The same as `/api/entity_favorites/toggle`, whose kinds are fixed, with the operator's own kinds.
    toggleOfEntries("/api/entry_favorites/toggle", "toggleEntryFavorite", entryToggle()),
  ];
}

const FIXED_TOGGLES: Endpoint[] = [
  endpoint({
    method: "POST",
    path: "/api/favorites/toggle",
    operationId: "toggleServerFavorite",
    access: "login",
    input: serverToggle,
    output: toggledServer,
    handle: async ({ server_id, wanted }, context) => {
      return { server_id, favorite: await toggle(context, { kind: "server", id: server_id }, wanted) };
    },
    ...formAnswers(({ server_id }: { server_id: string }) => ({ kind: "server", id: server_id })),
  }),
  endpoint({
    method: "POST",
    path: "/api/donate_favorites/toggle",
    operationId: "toggleDonateFavorite",
    access: "login",
    input: donateToggle,
    output: toggledDonateItem,
    handle: async ({ item_key, wanted }, context) => {
      return { item_key, favorite: await toggle(context, { kind: "donate", id: item_key }, wanted) };
    },
    ...formAnswers(({ item_key }: { item_key: string }) => ({ kind: "donate", id: item_key })),
  }),
  toggleOfEntries("/api/entity_favorites/toggle", "toggleEntityFavorite", entityToggle),
];

function toggleOfEntries(
  path: Endpoint["path"],
  operationId: Endpoint["operationId"],
  schemas: Pick<ReturnType<typeof entryToggle>, "input" | "output">,
): Endpoint {
  return endpoint({
    method: "POST",
    path,
    operationId,
    access: "login",
    ...schemas,
    handle: async ({ kind, entity_id, wanted }, context) => {
      return { kind, entity_id, favorite: await toggle(context, { kind, id: entity_id }, wanted) };
    },
    ...formAnswers(({ kind, entity_id }: { kind: PendingFavorite["kind"]; entity_id: string }) => ({
      kind,
      id: entity_id,
    })),
  });
}

/** The answer of a toggle to a plain HTML form. */
function formAnswers<Input>(read: (input: Input) => PendingFavorite) {
  return {
    page: (input: Input) => pageOf(read(input)),
    // Only additions are carried through a log-in: nobody logs in to find fewer favorites than before.
    afterLogIn: (input: Input & { wanted?: Wanted }): Record<string, string> =>
      input.wanted === "yes" ? { favorite: pendingText(read(input)) } : {},
    flash: async (input: Input, { favorite }: { favorite: boolean }, context: FlashContext) => {
      const { kind, id } = read(input);
      const { db, languageFor } = context;
      const [names, user] = await Promise.all([findNames(db, kind, id), findViewer(db, userOf(context))]);
      const name = names ? localName(names, languageFor(user?.language)).name : id;
      return toggleMessage({ kind, id }, name, favorite);
    },
  };
}

const NOBODY = lazyText("errors.detail.account_gone");

function userOf({ userId }: EndpointContext): number {
  if (userId === undefined) throw unauthorized(NOBODY);
  return userId;
}

/**
 * True if the record is a favorite now.
 * @throws HttpError 404 for an unknown record, also when removing: a wrong id must not look like success
 */
async function toggle(
  context: EndpointContext,
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

import { type Endpoint, type EndpointContext, endpoint, type FlashContext } from "../http/endpoint.ts";
import { type Missing, notFound, unauthorized } from "../http/errors.ts";
import { localName } from "../i18n/local-name.ts";
import { said } from "../i18n/said.ts";
import { kindOf } from "../kinds/kinds.ts";
import { paths } from "../urls.ts";
import { findViewer } from "../viewers/queries.ts";
import {
  findNames,
  type Toggled,
  toggleDonateItem,
  toggleEntity,
  toggleServer,
  type Wanted,
} from "./queries.ts";
import {
  donateToggle,
  entityToggle,
  serverToggle,
  toggledDonateItem,
  toggledEntity,
  toggledServer,
} from "./schemas.ts";
import { told } from "./told.ts";
import { type Wish, wishText } from "./wish.ts";

const toggleServerFavorite = endpoint({
  method: "POST",
  path: "/api/favorites/toggle",
  operationId: "toggleServerFavorite",
  access: "login",
  input: serverToggle,
  output: toggledServer,
  handle: async ({ server_id, wanted }, context) => {
    const toggled = await toggleServer(context.db, userOf(context), server_id, wanted);
    return { server_id, favorite: await stateOf(toggled, context, ["servers", server_id], "server") };
  },
  page: ({ server_id }) => paths.server(server_id),
  afterLogIn: ({ server_id, wanted }) => wishFor({ kind: "server", id: server_id }, wanted),
  flash: async ({ server_id }, { favorite }, context) =>
    told(await nameFor(context, "servers", server_id), favorite, paths.toggleServerFavorite(), { server_id }),
});

const toggleDonateFavorite = endpoint({
  method: "POST",
  path: "/api/donate_favorites/toggle",
  operationId: "toggleDonateFavorite",
  access: "login",
  input: donateToggle,
  output: toggledDonateItem,
  handle: async ({ item_key, wanted }, context) => {
    const toggled = await toggleDonateItem(context.db, userOf(context), item_key, wanted);
    const favorite = await stateOf(toggled, context, ["donate_items", item_key], "shop_item");
    return { item_key, favorite };
  },
  page: ({ item_key }) => paths.donateItem(item_key),
  afterLogIn: ({ item_key, wanted }) => wishFor({ kind: "donate", id: item_key }, wanted),
  flash: async ({ item_key }, { favorite }, context) =>
    told(await nameFor(context, "donate_items", item_key), favorite, paths.toggleDonateFavorite(), {
      item_key,
    }),
});

const toggleEntityFavorite = endpoint({
  method: "POST",
  path: "/api/entity_favorites/toggle",
  operationId: "toggleEntityFavorite",
  access: "login",
  input: entityToggle,
  output: toggledEntity,
  handle: async ({ kind, entity_id, wanted }, context) => {
    const toggled = await toggleEntity(context.db, userOf(context), kind, entity_id, wanted);
    const favorite = await stateOf(toggled, context, [kindOf(kind), entity_id], kind);
    return { kind, entity_id, favorite };
  },
  page: ({ kind, entity_id }) => paths.entry(kindOf(kind), entity_id),
  afterLogIn: ({ kind, entity_id, wanted }) => wishFor({ kind, id: entity_id }, wanted),
  flash: async ({ kind, entity_id }, { favorite }, context) => {
    const name = await nameFor(context, kindOf(kind), entity_id);
    return told(name, favorite, paths.toggleEntityFavorite(), { kind, entity_id });
  },
});

/** The three toggles. Each flips once a call and says what it is now. */
export const favoriteEndpoints: Endpoint[] = [
  toggleServerFavorite,
  toggleDonateFavorite,
  toggleEntityFavorite,
];

type Table = Parameters<typeof findNames>[1];

const NOBODY = said("errors.detail.account_gone");

/** The name of a record on the page that shows the message; its id where it is gone. */
async function nameFor(context: FlashContext, table: Table, id: string): Promise<string> {
  const { db, languageFor } = context;
  const [names, user] = await Promise.all([findNames(db, table, id), findViewer(db, userOf(context))]);
  return names ? localName(names, languageFor(user?.language)).name : id;
}

/** Only what was to be added: nobody logs in to find less there than before. */
function wishFor(wish: Wish, wanted: Wanted): { favorite?: string } {
  return wanted === "yes" ? { favorite: wishText(wish) } : {};
}

function userOf({ userId }: EndpointContext): number {
  if (userId === undefined) throw unauthorized(NOBODY);
  return userId;
}

/**
 * Whether it is a favorite now.
 * @throws HttpError 404 also for what was to be no favorite and is nothing at all: a wrong id must not look like success
 */
async function stateOf(
  toggled: Toggled,
  { db }: EndpointContext,
  [table, id]: readonly [Table, string],
  missing: Missing,
): Promise<boolean> {
  if (toggled === "no such user") throw unauthorized(NOBODY);
  if (toggled === "no such thing") throw notFound(missing);
  if (!toggled && !(await findNames(db, table, id))) throw notFound(missing);
  return toggled;
}

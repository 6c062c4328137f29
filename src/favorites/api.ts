import { type Endpoint, type EndpointContext, endpoint } from "../http/endpoint.ts";
import { notFound, unauthorized } from "../http/errors.ts";
import { type CatalogueKind, paths } from "../urls.ts";
import { type FavoriteKind, type Toggled, toggleDonateItem, toggleEntity, toggleServer } from "./queries.ts";
import {
  donateToggle,
  entityToggle,
  serverToggle,
  toggledDonateItem,
  toggledEntity,
  toggledServer,
} from "./schemas.ts";

/** Where the things of each kind are listed. */
export const CATALOGUE_OF = {
  item: "items",
  house: "houses",
  business: "businesses",
} as const satisfies Record<FavoriteKind, CatalogueKind>;

const toggleServerFavorite = endpoint({
  method: "POST",
  path: "/api/favorites/toggle",
  operationId: "toggleServerFavorite",
  summary: "Add a server to the user's favorites or remove it",
  access: "login",
  input: serverToggle,
  output: toggledServer,
  handle: async ({ server_id }, context) => ({
    server_id,
    favorite: stateOf(await toggleServer(context.db, userOf(context), server_id), "server"),
  }),
  page: ({ server_id }) => paths.server(server_id),
});

const toggleDonateFavorite = endpoint({
  method: "POST",
  path: "/api/donate_favorites/toggle",
  operationId: "toggleDonateFavorite",
  summary: "Add a donate-shop item to favorites or remove it; the user is notified about a discount",
  access: "login",
  input: donateToggle,
  output: toggledDonateItem,
  handle: async ({ item_key }, context) => ({
    item_key,
    favorite: stateOf(await toggleDonateItem(context.db, userOf(context), item_key), "donate-shop item"),
  }),
  page: ({ item_key }) => paths.donateItem(item_key),
});

const toggleEntityFavorite = endpoint({
  method: "POST",
  path: "/api/entity_favorites/toggle",
  operationId: "toggleEntityFavorite",
  summary: "Add an item, house or business to favorites or remove it",
  access: "login",
  input: entityToggle,
  output: toggledEntity,
  handle: async ({ kind, entity_id }, context) => ({
    kind,
    entity_id,
    favorite: stateOf(await toggleEntity(context.db, userOf(context), kind, entity_id), kind),
  }),
  page: ({ kind, entity_id }) => paths.entry(CATALOGUE_OF[kind], entity_id),
});

/** The three toggles. Each flips once a call and says what it is now. */
export const favoriteEndpoints: Endpoint[] = [
  toggleServerFavorite,
  toggleDonateFavorite,
  toggleEntityFavorite,
];

const NOBODY = "Log in first: this account is not there any more.";

function userOf({ userId }: EndpointContext): number {
  if (userId === undefined) throw unauthorized(NOBODY);
  return userId;
}

function stateOf(toggled: Toggled, thing: string): boolean {
  if (toggled === "no such thing") throw notFound(thing);
  if (toggled === "no such user") throw unauthorized(NOBODY);
  return toggled;
}

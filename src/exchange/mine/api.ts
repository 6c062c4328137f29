import type { Endpoint } from "../../web/api/endpoint.ts";
import { listOfFavorites } from "./favorites.ts";
import { listOfNotifications } from "./notifications.ts";

/** What a key with the scope for it reads of its owner, and nobody else. */
export function userEndpoints(): Endpoint[] {
  return [listOfFavorites(), listOfNotifications()];
}

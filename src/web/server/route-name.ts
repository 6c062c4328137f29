import type { IncomingMessage } from "node:http";

/** What Express and the cache record on a request. */
interface Routed {
  readonly routeName?: string;
  readonly route?: { readonly path?: unknown };
  readonly baseUrl?: string;
}

/**
 * The declared route that answers a request, without the language: `/api/items/search`, `/items/:id`; the first folder
 * if that is served as a whole, such as `/assets`; "" for none. It never contains parts of the address that a client
 * chooses.
 */
export function routeNameOf({ routeName, route, baseUrl = "" }: IncomingMessage & Routed): string {
  if (routeName !== undefined) return routeName;
  const [path] = [route?.path].flat();
  if (path === undefined) return /^\/[^/]+/.exec(baseUrl)?.[0] ?? "";
  const name = baseUrl + String(path);
  return name.length > 1 ? name.replace(/\/$/, "") : name;
}

/** Records the route of a request that does not reach Express. */
export function noteRouteName(req: IncomingMessage & { routeName?: string }, name: string): void {
  req.routeName = name;
}

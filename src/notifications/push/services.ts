import { isOnHost } from "../../config.ts";

/**
 * The address of a browser's subscription, if it is one that this site may send to: HTTPS on a host of `services`
 * (`host`, `host:port` or `*.domain`). A browser's word decides where the server sends requests, so that anything else
 * would let a user have it ask machines that only it can reach.
 * @returns the address as every URL parser reads it, or undefined
 */
export function pushEndpoint(text: string, services: readonly string[]): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.username || url.password || url.hash) return undefined;
  return services.some((service) => isOnHost(url, service)) ? url.href : undefined;
}

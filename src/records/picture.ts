import { isOnHost } from "../config.ts";

/** A picture that a page shows, or a link to one on a host that pages load nothing from. */
export type Picture = { readonly src: string } | { readonly href: string; readonly host: string };

/**
 * Shows a picture, or links to it. Browsers load pictures from other hosts only if IMAGE_HOSTS names them, since a host
 * learns who looks at its pictures. Undefined if it is not an address.
 */
export function pictureOf(image: string | null, hosts: readonly string[]): Picture | undefined {
  if (image === null) return undefined;
  const here = "https://here.invalid";
  const url = URL.parse(image, image.startsWith("/") ? here : undefined);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  // Browsers read `//host` and `/\host` as another host.
  if (image.startsWith("/")) return url.origin === here ? { src: image } : undefined;
  if (url.protocol === "https:" && hosts.some((host) => isOnHost(url, host))) return { src: url.href };
  return { href: url.href, host: url.host };
}

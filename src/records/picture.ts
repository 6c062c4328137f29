import { isOnHost } from "../config.ts";

/** A picture that a page shows, or a link to one on a host that pages load nothing from. */
export type Picture = { readonly src: string } | { readonly href: string; readonly host: string };

/**
 * What a page does with a record's picture. Readers' browsers ask other hosts for nothing unless the operator names
 * them (IMAGE_HOSTS): whoever keeps the picture would learn who looks at it. Undefined for what is no address.
 */
export function pictureOf(image: string | null, hosts: readonly string[]): Picture | undefined {
  if (image === null) return undefined;
  const here = "https://here.invalid";
  const url = URL.parse(image, image.startsWith("/") ? here : undefined);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  // A path is on this site, unless browsers read it as another host's: `//host`, `/\host`.
  if (image.startsWith("/")) return url.origin === here ? { src: image } : undefined;
  if (url.protocol === "https:" && hosts.some((host) => isOnHost(url, host))) return { src: url.href };
  return { href: url.href, host: url.host };
}

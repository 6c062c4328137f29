import { isOnHost } from "../config.ts";
import { paths } from "../urls.ts";
import { type StoredPicture, storedPicture } from "./stored-picture.ts";

/** What a record has of pictures. */
export interface Pictured {
  /** A picture in the site's store, see stored-picture.ts. */
  readonly picture: string | null;
  /** An https address or a path of this site. */
  readonly image: string | null;
}

declare module "../http/page.ts" {
  interface Site {
    /** The small picture of a record; undefined if it has none. */
    thumbnail(record: Pictured, side: 32 | 64): Thumbnail | undefined;
  }
}

/** A picture that a page shows large, or a link to one on a host that pages load nothing from. */
export type Picture =
  | {
      readonly src: string;
      readonly avif: string | undefined;
      readonly width: number;
      readonly height: number;
    }
  | { readonly href: string; readonly host: string };

/** A small picture, square, for a screen of one or two pixels a point. */
export interface Thumbnail {
  readonly src: string;
  readonly srcset: string | undefined;
}

/**
 * Shows the picture of a record, or links to it. Browsers load pictures from other hosts only if IMAGE_HOSTS names them,
 * since a host learns who looks at its pictures. Undefined if there is none.
 */
export function pictureOf({ picture, image }: Pictured, hosts: readonly string[]): Picture | undefined {
  const stored = storedPicture(picture);
  if (stored) return largeOf(stored);
  const place = placeOfImage(image, hosts);
  // The size is not known, so room is kept for a usual one.
  return place && "src" in place ? { ...place, avif: undefined, width: 640, height: 360 } : place;
}

/** The small picture of a record at 32 or 64 points; undefined if it has none that pages may load. */
export function thumbnailOf(
  { picture, image }: Pictured,
  side: 32 | 64,
  hosts: readonly string[],
): Thumbnail | undefined {
  const stored = storedPicture(picture);
  if (stored) {
    const address = (pixels: 32 | 64 | 128) => paths.picture(stored.name, `${pixels}.webp`);
    return { src: address(side), srcset: `${address(side === 32 ? 64 : 128)} 2x` };
  }
  const place = placeOfImage(image, hosts);
  return place && "src" in place ? { ...place, srcset: undefined } : undefined;
}

function largeOf({ name, width, height }: StoredPicture): Picture {
  return { src: paths.picture(name, "640.webp"), avif: paths.picture(name, "640.avif"), width, height };
}

function placeOfImage(
  image: string | null,
  hosts: readonly string[],
): { src: string } | { href: string; host: string } | undefined {
  if (image === null) return undefined;
  const here = "https://here.invalid";
  const url = URL.parse(image, image.startsWith("/") ? here : undefined);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  // Browsers read `//host` and `/\host` as another host.
  if (image.startsWith("/")) return url.origin === here ? { src: image } : undefined;
  if (url.protocol === "https:" && hosts.some((host) => isOnHost(url, host))) return { src: url.href };
  return { href: url.href, host: url.host };
}

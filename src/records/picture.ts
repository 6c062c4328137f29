import { isOnHost } from "../settings/values.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { LARGE, type StoredPicture, storedPicture } from "./stored-picture.ts";

/** The maximum height of a large picture on a page, in CSS pixels. */
const HIGHEST = 384;

/** The pictures of a record. */
export interface Pictured {
  /** A picture in the site's store, see stored-picture.ts. */
  readonly picture: string | null;
  /** An https address or a path of this site. */
  readonly image: string | null;
}

/** A picture that a page shows large, or a link to one on a host that pages do not load from. */
export type Picture =
  | {
      readonly src: string;
      readonly avif: string | undefined;
      /** Its size on the page, in CSS pixels. */
      readonly width: number;
      readonly height: number;
      /** The size is a guess, so the whole picture must fit into it. */
      readonly isGuessed?: boolean;
    }
  | { readonly href: string; readonly host: string };

/** A picture for feeds and mails. The address is absolute. */
export interface SharedPicture {
  readonly url: string;
  /** Its size in pixels; undefined for a picture on another host. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** The site's data for feeds and mails. */
export interface PictureSite {
  readonly baseUrl: string;
  readonly imageHosts: readonly string[];
}

/**
 * Shows the picture of a record, or links to it. Browsers load pictures from other hosts only if IMAGE_HOSTS names
 * them, because a host learns who views its pictures. Undefined without a picture.
 */
export function choosePicture({ picture, image }: Pictured, hosts: readonly string[]): Picture | undefined {
  const stored = storedPicture(picture);
  if (stored) return largeOf(stored);
  const place = placeOfImage(image, hosts);
  return place && "src" in place
    ? { ...place, avif: undefined, width: 640, height: 360, isGuessed: true }
    : place;
}

/**
 * The small square picture of a record at 32 or 64 points, for screens of one or two pixels a point. Undefined if it
 * has none that pages may load.
 */
export function chooseThumbnail({ picture, image }: Pictured, side: 32 | 64, hosts: readonly string[]) {
  const stored = storedPicture(picture);
  if (stored) {
    const address = (pixels: 32 | 64 | 128) => paths.picture(stored.name, `${pixels}.webp`);
    return { src: address(side), srcset: `${address(side === 32 ? 64 : 128)} 2x` };
  }
  const place = placeOfImage(image, hosts);
  return place && "src" in place ? { ...place, srcset: undefined } : undefined;
}

/**
 * The picture of a record for feeds and mails, as JPEG, which all their programs support. `side` is the maximum of its
 * longer side. Undefined if it has none that pages may load.
 */
export function chooseSharedPicture(
  { picture, image }: Pictured,
  { baseUrl, imageHosts }: PictureSite,
  side: 128 | typeof LARGE = LARGE,
): SharedPicture | undefined {
  const stored = storedPicture(picture);
  if (stored) {
    const url = absoluteUrl(baseUrl, paths.picture(stored.name, `${side}.jpeg`));
    return { url, size: within(stored, side) };
  }
  const place = placeOfImage(image, imageHosts);
  return place && "src" in place
    ? { url: URL.parse(place.src, baseUrl)?.href ?? place.src, size: undefined }
    : undefined;
}

/** The size of a picture whose longer side is shortened to `side`, as sharp rounds it. */
function within({ width, height }: StoredPicture, side: number): { width: number; height: number } {
  const share = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}

/** Browsers reserve `width` and `height` before the picture has loaded, so both are its size on the page. */
function largeOf({ name, width, height }: StoredPicture): Picture {
  const share = Math.min(1, HIGHEST / height);
  return {
    src: paths.picture(name, "640.webp"),
    avif: paths.picture(name, "640.avif"),
    width: Math.max(1, Math.round(width * share)),
    height: Math.round(height * share),
  };
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

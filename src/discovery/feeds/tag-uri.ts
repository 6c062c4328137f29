/** Everything on the site is newer than this; RFC 4151 requires a date when the authority owned its name. */
const DATE = "2026";

/**
 * An identifier that no other site has (RFC 4151): `tag:almanac.example,2026:/ru/items/411`. Parts are path segments,
 * not yet encoded, except the first, which may be a language's prefix (`/ru`) or empty. A port is part of the path.
 */
export function tagUri(baseUrl: string, prefix: string, ...parts: string[]): string {
  const { hostname, port } = new URL(baseUrl);
  // Only letters, digits, dots and hyphens are allowed, so an IPv6 host gets dots for colons and no brackets.
  const authority = hostname.replaceAll(/[[\]]/g, "").replaceAll(":", ".");
  const before = port === "" ? "" : `/port-${port}`;
  return `tag:${authority},${DATE}:${before}${prefix}/${parts.map(encodeURIComponent).join("/")}`;
}

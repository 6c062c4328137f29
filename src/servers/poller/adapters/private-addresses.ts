import ipaddr from "ipaddr.js";

/** RFC 6052: networks without IPv4 reach it by addresses of IPv6 that end in those of IPv4. */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * True for an address that anybody on the Internet could have: not this machine's own, not one of a local network, of a
 * carrier's, of a group or reserved, also where it is one of IPv4 written as IPv6. False for what is no address.
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry and that of IPv6, as ipaddr.js has them
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && address.match(TRANSLATED)) {
    return new ipaddr.IPv4(address.toByteArray().slice(-4)).range() === "unicast";
  }
  return address.range() === "unicast";
}

/** True where two texts are one address: `::ffff:10.0.0.1` is `10.0.0.1`. */
export function isSameAddress(a: string, b: string): boolean {
  const valid = ipaddr.isValid(a) && ipaddr.isValid(b);
  return valid && ipaddr.process(a).toString() === ipaddr.process(b).toString();
}

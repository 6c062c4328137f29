import ipaddr from "ipaddr.js";

/** RFC 6052: networks without IPv4 reach it by IPv6 addresses that end in the IPv4 address. */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** The only IPv6 addresses that are given out: RFC 4291, section 2.4. `::7f00:1` is outside, an old way to write 127.0.0.1. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address is public: not of this machine, a local network, a carrier, a group or reserved, also where it is
 * an IPv4 address written as IPv6. False for text that is no address.
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry and that of IPv6, as ipaddr.js has them
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === "unicast";
  if (address.match(TRANSLATED)) {
    return new ipaddr.IPv4(address.toByteArray().slice(-4)).range() === "unicast";
  }
  return address.match(GIVEN_OUT) && address.range() === "unicast";
}

/** Whether two texts are the same address: `::ffff:10.0.0.1` is `10.0.0.1`. */
export function isSameAddress(a: string, b: string): boolean {
  const valid = ipaddr.isValid(a) && ipaddr.isValid(b);
  return valid && ipaddr.process(a).toString() === ipaddr.process(b).toString();
}

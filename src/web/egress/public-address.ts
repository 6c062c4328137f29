import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** RFC 6052: networks without IPv4 reach it by IPv6 addresses that end in the IPv4 address. */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** The only IPv6 addresses that are given out: RFC 4291, section 2.4. `::7f00:1` is outside, an old way to write 127.0.0.1. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/** Azure's host, which answers virtual machines only: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const OF_AZURE = "168.63.129.16";

/**
 * True for a public address: not of this machine, a local network, a carrier, a cloud's host, a group or reserved.
 * That includes IPv4 addresses written as IPv6. False for any other text, and for an address with a zone. Source:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and that of IPv6, as ipaddr.js has them
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  if (address.match(TRANSLATED)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return address.match(GIVEN_OUT) && address.range() === "unicast";
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && address.toString() !== OF_AZURE;
}

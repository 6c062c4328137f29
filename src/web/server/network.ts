import ipaddr from "ipaddr.js";

/**
 * The address from X-Forwarded-For without the client's port, which some proxies add (`203.0.113.7:50001`,
 * `[2001:db8::1]:50001`) and which differs with each connection.
 */
export function withoutPort(written: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/s.exec(written) ?? [];
  return bracketed ?? plain ?? written;
}

/**
 * The network that counts as one caller: the whole IPv4 address, or the /64 of an IPv6 address. A customer gets at
 * least that (RFC 6177) and can use all of its 2^64 addresses. An IPv4 address mapped to IPv6 counts as IPv4.
 * Anything else stays unchanged.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

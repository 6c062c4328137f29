import ipaddr from "ipaddr.js";

/**
 * The address that a proxy has written into X-Forwarded-For. Some write the client's port beside it (`203.0.113.7:50001`,
 * `[2001:db8::1]:50001`), which is another one with each connection.
 */
export function withoutPort(written: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/s.exec(written) ?? [];
  return bracketed ?? plain ?? written;
}

/**
 * What counts as one caller's address: an IPv4 address whole, an IPv6 address by its /64, because that is the least
 * that one customer gets (RFC 6177) and so each of its 2^64 addresses is theirs to use. An IPv4 address that was
 * written as IPv6 is the IPv4 address. Anything else stays as it is.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

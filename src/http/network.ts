import { isIPv6 } from "node:net";

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
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes every form of an address, dotted tails included, in hexadecimal.
  const [left = "", right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [head, tail] = [left, right ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const numbers = [head, tail].map((part = []) => part.map((group) => Number.parseInt(group, 16)));
  const [before = [], after = []] = numbers;
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}

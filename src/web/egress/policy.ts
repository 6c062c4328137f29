import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import type { OpenedRange } from "../../settings/values.ts";

/** RFC 6052: networks without IPv4 reach it by IPv6 addresses that end in the IPv4 address. */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * The only IPv6 addresses that are assigned: RFC 4291, section 2.4. `::7f00:1`, an old way to write 127.0.0.1, is
 * outside.
 */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Azure's host, which only answers virtual machines:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const OF_AZURE = "168.63.129.16";

/**
 * The allowed addresses for connections to an address from a record, a user or another server: the Internet, and the
 * private addresses that the operator has opened. Other addresses could be this machine, its network, or a cloud's
 * metadata service with its secrets.
 */
export interface EgressPolicy {
  readonly opened: readonly OpenedRange[];
  /** Tests replace it, because their only network is loopback. */
  readonly isPublic?: (address: string) => boolean;
}

/** The Internet only. */
export const INTERNET: EgressPolicy = { opened: [] };

export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** A refused connection: the address is not public, and the operator has not opened it. */
export class NotPublicError extends Error {
  override name = "NotPublicError";
  /** The address with its port; undefined if the name has no address. */
  readonly place: string | undefined;

  constructor(host: string, place?: string) {
    const where = isIP(host) === 0 ? `${host} leads to ${place ?? "no address"}, which` : place;
    super(`${where} is not on the Internet`);
    this.place = place;
  }
}

/** True if the site may connect to an IP address. */
export function mayConnect(egress: EgressPolicy, address: string, port: number): boolean {
  const { isPublic = isPublicAddress } = egress;
  return isPublic(address) || isOpened(egress, address, port);
}

/** True if the operator has opened an IP address. */
export function isOpened({ opened }: EgressPolicy, address: string, port: number): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return opened.some(({ range, port: only }) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return (only ?? port) === port && network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

/**
 * Refuses a name if one of its addresses is not allowed: the others may only be there to pass this check.
 * @throws NotPublicError
 */
export function requirePermitted(
  egress: EgressPolicy,
  { host, port }: { readonly host: string; readonly port: number },
  addresses: readonly { readonly address: string }[],
): void {
  const refused = addresses.find(({ address }) => !mayConnect(egress, address, port));
  if (refused) throw new NotPublicError(host, placeText(refused.address, port));
  if (addresses.length === 0) throw new NotPublicError(host);
}

/**
 * Creates the look-up for a connection to `url`. The connection gets the checked addresses, so DNS rebinding, where a
 * name changes its addresses between check and use, gains nothing.
 * @throws NotPublicError for an address without a name, which is never looked up
 */
export function guardedLookup(url: URL, egress: EgressPolicy, resolve: Resolve): LookupFunction {
  const port = portIn(url);
  const literal = addressIn(url);
  if (literal !== undefined) requirePermitted(egress, { host: literal, port }, [{ address: literal }]);
  return (host, { all }, callback) => {
    checkedAddresses(egress, { host, port }, resolve).then(
      ([first, ...others]) => {
        if (all) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

async function checkedAddresses(
  egress: EgressPolicy,
  target: { readonly host: string; readonly port: number },
  resolve: Resolve,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(target.host);
  requirePermitted(egress, target, addresses);
  return addresses as [LookupAddress, ...LookupAddress[]];
}

/** The IP address in a URL, if it has one instead of a name. */
export function addressIn({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[|\]$/g, "");
  return isIP(plain) === 0 ? undefined : plain;
}

/** The port of an http or https URL. */
export function portIn({ protocol, port }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function placeText(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/**
 * True for a public address: not of this machine, a local network, a carrier, a cloud's host or a multicast group, and
 * not reserved. That includes IPv4 addresses written as IPv6. False for any other text, and for an address with a zone.
 * Source:
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

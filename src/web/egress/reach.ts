import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import type { OpenedRange } from "../../settings/egress.ts";
import { isPublicAddress } from "./public-address.ts";

/**
 * Where the site may connect if a record, a user or another server names the address: the Internet, and the private
 * addresses that the operator has opened. Other addresses could be this machine, its network, or a cloud's metadata
 * service with its secrets.
 */
export interface Reach {
  readonly opened: readonly OpenedRange[];
  /** Tests replace it, as they have no network but loopback. */
  readonly isPublic?: (address: string) => boolean;
}

/** The Internet only. */
export const INTERNET: Reach = { opened: [] };

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
export function mayReach(reach: Reach, address: string, port: number): boolean {
  const { isPublic = isPublicAddress } = reach;
  return isPublic(address) || isOpened(reach, address, port);
}

/** True if the operator has opened an IP address. */
export function isOpened({ opened }: Reach, address: string, port: number): boolean {
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
export function requireReach(
  reach: Reach,
  { host, port }: { readonly host: string; readonly port: number },
  addresses: readonly { readonly address: string }[],
): void {
  const refused = addresses.find(({ address }) => !mayReach(reach, address, port));
  if (refused) throw new NotPublicError(host, placeText(refused.address, port));
  if (addresses.length === 0) throw new NotPublicError(host);
}

/**
 * Creates the look-up for a connection to `url`. The connection gets the checked addresses, so DNS rebinding, where a
 * name changes its addresses between check and use, gains nothing.
 * @throws NotPublicError for an address without a name, which is never looked up
 */
export function guardedLookup(url: URL, reach: Reach, resolve: Resolve): LookupFunction {
  const port = portIn(url);
  const literal = addressIn(url);
  if (literal !== undefined) requireReach(reach, { host: literal, port }, [{ address: literal }]);
  return (host, { all }, callback) => {
    checkedAddresses(reach, { host, port }, resolve).then(
      ([first, ...others]) => {
        if (all) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

async function checkedAddresses(
  reach: Reach,
  target: { readonly host: string; readonly port: number },
  resolve: Resolve,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(target.host);
  requireReach(reach, target, addresses);
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

import { type LookupAddress, promises } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "../http/public-address.ts";

/**
 * Where webhooks may lead. Anybody may ask the site to send something to an address of their choice, so it must be one on
 * the Internet: never this machine, its network, or the addresses at which clouds hand out secrets.
 */
export interface Reach {
  /** Origins that the operator has named, such as `http://10.0.0.5:8080`: these may be anywhere, for the site's own webhooks. */
  readonly receivers: readonly string[];
  /** Of https, for everybody. */
  readonly ports?: readonly number[];
  /** All addresses of a host. */
  readonly resolve?: (host: string) => Promise<LookupAddress[]>;
  readonly isPublic?: (address: string) => boolean;
}

const PORTS: readonly number[] = [443];

/** Discord's own addresses are short; some services put a long key into theirs. */
const LONGEST = 1000;

/** What is wrong with an address; the texts are `webhooks.address.<word>`. */
export const ADDRESS_FAULTS = [
  "not_url",
  "not_https",
  "port",
  "credentials",
  "not_public",
  "not_discord",
] as const;
export type AddressFault = (typeof ADDRESS_FAULTS)[number];

/** A connection that was not made, because the host has no public address. Does not say whether it has others. */
export class NotPublicError extends Error {
  override name = "NotPublicError";
}

/** An address that messages may be sent to, in its plain form and without a fragment; or what is wrong with it. */
export function readAddress(typed: string, reach: Reach): { url: URL } | { fault: AddressFault } {
  const url = URL.parse(typed.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > LONGEST) return { fault: "not_url" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials" };
  url.hash = "";
  if (isNamed(url, reach)) return { url };
  if (url.protocol !== "https:") return { fault: "not_https" };
  if (!(reach.ports ?? PORTS).includes(Number(url.port || 443))) return { fault: "port" };
  const literal = addressIn(url);
  if (literal !== undefined && !mayReach(literal, reach)) return { fault: "not_public" };
  if (/(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(url.hostname)) return { fault: "not_public" };
  return { url };
}

/**
 * The look-up for a connection to `url`: gives the connection the addresses that were checked, so that a name that changes
 * its addresses in between (DNS rebinding) gains nothing. One address that is not public is enough to refuse the name.
 * undefined: the operator has named the receiver, and the system looks it up.
 * @throws NotPublicError for an address without a name, which is never looked up
 */
export function guardedLookup(url: URL, reach: Reach): LookupFunction | undefined {
  if (isNamed(url, reach)) return undefined;
  const literal = addressIn(url);
  if (literal !== undefined && !mayReach(literal, reach)) throw notPublic(url.hostname);
  const { resolve = resolvePublicly } = reach;
  return (host, { all }, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first, ...others] = addresses;
        if (!first || addresses.some(({ address }) => !mayReach(address, reach))) {
          return callback(notPublic(host), []);
        }
        if (all) return callback(null, [first, ...others]);
        callback(null, first.address, first.family);
      },
      () => callback(notPublic(host), []),
    );
  };
}

function isNamed({ origin }: URL, { receivers }: Reach): boolean {
  return receivers.includes(origin);
}

/** The address that a URL has instead of a name. */
function addressIn({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[|\]$/g, "");
  return isIP(plain) === 0 ? undefined : plain;
}

function mayReach(address: string, { isPublic = isPublicAddress }: Reach): boolean {
  return isPublic(address);
}

function notPublic(host: string): NotPublicError {
  return new NotPublicError(`${host} has no public address`);
}

const RESOLVE = { timeout: 2_000, tries: 2 };

/**
 * Asks the name servers directly: the system's look-up would also find names of the local network, and holds one of the
 * few threads of the process for as long as a dead name server takes.
 */
async function resolvePublicly(host: string): Promise<LookupAddress[]> {
  const resolver = new promises.Resolver(RESOLVE);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = (family: 4 | 6, answer: PromiseSettledResult<string[]>) =>
    answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
  return [...found(4, four), ...found(6, six)];
}

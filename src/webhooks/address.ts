import { promises } from "node:dns";
import { addressIn, isOpened, mayReach, portIn, type Reach, type Resolve } from "../egress/reach.ts";

/**
 * Where webhooks may lead. Anybody may ask the site to send something to an address of their choice; what the operator has
 * opened is for the site's own webhooks only.
 */
export interface WebhookReach extends Reach {
  /** Of https, on the Internet. */
  readonly ports?: readonly number[];
  /** All addresses of a host. */
  readonly resolve?: Resolve;
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

/** An address that messages may be sent to, in its plain form and without a fragment. */
export interface ReadAddress {
  readonly url: URL;
  /** Without https or the usual port: only for addresses that the operator has opened, not for the Internet. */
  readonly isOpenedOnly: boolean;
}

/** Reads a typed address; or says what is wrong with it. */
export function readAddress(typed: string, reach: WebhookReach): ReadAddress | { fault: AddressFault } {
  const url = URL.parse(typed.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > LONGEST) return { fault: "not_url" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials" };
  url.hash = "";
  const literal = addressIn(url);
  if (literal !== undefined && isOpened(reach, literal, portIn(url))) return { url, isOpenedOnly: true };
  // What a name of the operator's network leads to is known when it is looked up.
  const mayBeOpened = reach.opened.length > 0 && literal === undefined;
  if (url.protocol !== "https:") return mayBeOpened ? { url, isOpenedOnly: true } : { fault: "not_https" };
  if (!(reach.ports ?? PORTS).includes(portIn(url)))
    return mayBeOpened ? { url, isOpenedOnly: true } : { fault: "port" };
  if (literal !== undefined && !mayReach(reach, literal, portIn(url))) return { fault: "not_public" };
  if (/(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(url.hostname) && !mayBeOpened)
    return { fault: "not_public" };
  return { url, isOpenedOnly: false };
}

const RESOLVE = { timeout: 2_000, tries: 2 };

/**
 * Asks the name servers directly: the system's look-up would also find names of the local network, and holds one of the
 * few threads of the process for as long as a dead name server takes.
 */
async function resolvePublicly(host: string): ReturnType<Resolve> {
  const resolver = new promises.Resolver(RESOLVE);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = (family: 4 | 6, answer: PromiseSettledResult<string[]>) =>
    answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
  return [...found(4, four), ...found(6, six)];
}

/** How names are looked up: those of the operator's network too, where something of it is open. */
export function resolverFor({ resolve, opened }: WebhookReach): Resolve {
  return resolve ?? (opened.length > 0 ? (host) => promises.lookup(host, { all: true }) : resolvePublicly);
}

import { promises } from "node:dns";
import type { Config } from "../../settings/config.ts";
import {
  addressIn,
  type EgressPolicy,
  isOpened,
  mayConnect,
  portIn,
  type Resolve,
} from "../../web/egress/policy.ts";
import type { Format } from "./events.ts";

/**
 * The addresses that webhooks may have. Any user can make the site send requests to an address of their choice. So
 * opened addresses are for the site's own webhooks only.
 */
export interface WebhookEgressPolicy extends EgressPolicy {
  /** Allowed ports for https on the Internet. */
  readonly ports?: readonly number[];
  /** Resolves a host to all its addresses. */
  readonly resolve?: Resolve;
}

const PORTS: readonly number[] = [443];

/** The maximum length of an address: Discord's are short, but some services put a long key into theirs. */
const LONGEST = 1000;

/** Faults of an address; their texts are `webhooks.address.<word>`. */
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
  /** True if the address lacks https or the usual port. It is then allowed only if the operator has opened it. */
  readonly isOpenedOnly: boolean;
}

/** Parses a typed address, or returns what is wrong with it. */
export function readAddress(
  typed: string,
  egress: WebhookEgressPolicy,
): ReadAddress | { fault: AddressFault } {
  const url = URL.parse(typed.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > LONGEST) return { fault: "not_url" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials" };
  url.hash = "";
  const literal = addressIn(url);
  if (literal !== undefined && isOpened(egress, literal, portIn(url))) return { url, isOpenedOnly: true };
  // The address behind a name of the operator's network is known only when it is looked up.
  const mayBeOpened = egress.opened.length > 0 && literal === undefined;
  if (url.protocol !== "https:") return mayBeOpened ? { url, isOpenedOnly: true } : { fault: "not_https" };
  if (!(egress.ports ?? PORTS).includes(portIn(url)))
    return mayBeOpened ? { url, isOpenedOnly: true } : { fault: "port" };
  if (literal !== undefined && !mayConnect(egress, literal, portIn(url))) return { fault: "not_public" };
  if (/(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(url.hostname) && !mayBeOpened)
    return { fault: "not_public" };
  return { url, isOpenedOnly: false };
}

/** Where a webhook leads: to a channel of Discord, or to a server that checks signatures. */
export interface Destination {
  readonly url: string;
  readonly format: Format;
}

/** https://discord.com/developers/docs/resources/webhook: with a version of the API, or of a thread. */
const DISCORD_HOSTS = ["discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"];
const DISCORD_PATH = /^\/api(\/v\d+)?\/webhooks\/\d{5,25}\/[\w-]{20,200}$/;

/**
 * The destination of a typed address; Discord's are recognised by their form, even if the operator has opened the
 * address.
 */
export function readDestination(
  typed: string,
  { isSite }: { readonly isSite: boolean },
  { privateAddresses }: Pick<Config, "privateAddresses">,
): Destination | { fault: AddressFault } {
  const read = readAddress(typed, { opened: isSite ? privateAddresses : [] });
  if ("fault" in read) return read;
  const { url, isOpenedOnly } = read;
  const isOfDiscord = DISCORD_HOSTS.includes(url.hostname);
  const looksLikeDiscord = DISCORD_PATH.test(url.pathname);
  if (isOfDiscord && !looksLikeDiscord) return { fault: "not_discord" };
  return { url: url.href, format: isOfDiscord || (isOpenedOnly && looksLikeDiscord) ? "discord" : "signed" };
}

const RESOLVE = { timeout: 2_000, tries: 2 };

/**
 * Queries the name servers directly. The system's look-up would also find names of the local network, and a dead name
 * server would block one of the process's few threads.
 */
async function resolvePublicly(host: string): ReturnType<Resolve> {
  const resolver = new promises.Resolver(RESOLVE);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = (family: 4 | 6, answer: PromiseSettledResult<string[]>) =>
    answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
  return [...found(4, four), ...found(6, six)];
}

/** Chooses the look-up: it includes the operator's network if any of its addresses are open. */
export function resolverFor({ resolve, opened }: WebhookEgressPolicy): Resolve {
  return resolve ?? (opened.length > 0 ? (host) => promises.lookup(host, { all: true }) : resolvePublicly);
}

import type { Config } from "../../settings/config.ts";
import { type AddressFault, readAddress } from "./address.ts";
import type { Format } from "./queries.ts";

/** Where a webhook leads: to a channel of Discord, or to a server that checks signatures. */
export interface Destination {
  readonly url: string;
  readonly format: Format;
}

/** https://discord.com/developers/docs/resources/webhook: with a version of the API, or of a thread. */
const DISCORD_HOSTS = ["discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"];
const DISCORD_PATH = /^\/api(\/v\d+)?\/webhooks\/\d{5,25}\/[\w-]{20,200}$/;

/** The destination of a typed address; Discord's are known by how they look, also at addresses that the operator has opened. */
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

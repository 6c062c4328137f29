import { languageFor } from "../../words/i18n/languages.ts";
import type { DueWebhook } from "./deliveries-queries.ts";
import { discordPayload } from "./discord.ts";
import { signedPayload, type WebhookSite } from "./payload.ts";
import type { Message } from "./post.ts";
import { signedHeaders, webhookSecret } from "./signature.ts";

/** Where a delivery goes, and the request for it. */
export interface Composed {
  readonly address: string;
  readonly message: Message;
}

/** Makes the request of a delivery; each attempt has its own time and signature, everything else stays the same. */
export function compose(
  due: DueWebhook,
  site: WebhookSite & { readonly secret: string },
  now = new Date(),
): Composed {
  const agent = { "user-agent": `Almanac (+${site.baseUrl})` };
  const { hook, event, at } = due;
  if (hook.format === "discord") {
    const url = new URL(hook.url);
    // Otherwise Discord takes messages that it then throws away.
    url.searchParams.set("wait", "true");
    const body = discordPayload(event, at, languageFor(hook.language), site);
    return { address: url.href, message: { headers: agent, body } };
  }
  const body = signedPayload(event, at, site);
  const secrets = [hook.salt, hook.formerSalt].flatMap((salt) =>
    salt === null ? [] : [webhookSecret(site.secret, salt)],
  );
  const headers = { ...agent, ...signedHeaders({ id: due.messageId, at: now, body }, secrets) };
  return { address: hook.url, message: { headers, body } };
}

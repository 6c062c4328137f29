import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import { type EgressPolicy, INTERNET } from "../../web/egress/policy.ts";
import { languageFor } from "../../words/i18n/languages.ts";
import type { Step, Transport } from "../channels/channel.ts";
import type { Answer } from "../exchange.ts";
import { BusyError, LONGEST_PAUSE_S, RefusedForGoodError, secondsToWait } from "../retries.ts";
import { type DueWebhook, findDue, noteAccepted, noteReceiverFailure } from "./delivery-queries.ts";
import { discordPayload } from "./discord.ts";
import { type Message, post } from "./post.ts";
import { signedHeaders, signedPayload, type WebhookSite, webhookSecret } from "./signed-message.ts";

export interface WebhookSenderOptions {
  readonly db: Knex;
  readonly log?: Logger;
  readonly site: WebhookSite & { readonly secret: string };
  /** The allowed addresses of the site's webhooks. */
  readonly egress: EgressPolicy;
  /** The allowed addresses of users' webhooks; by default the Internet only. */
  readonly usersEgress?: EgressPolicy;
  readonly timeoutMs?: number;
  /** Whether owners get a mail about a webhook that was switched off. */
  readonly sendsMail: boolean;
}

/** The receiver is gone for good: the delivery fails, and its webhook is switched off. */
class ReceiverGoneError extends RefusedForGoodError {
  override name = "ReceiverGoneError";
}

/** Finds the deliveries of webhooks, sends their messages, and records the state of their receivers. */
export function createWebhookTransport(options: WebhookSenderOptions): Transport {
  const { db, log, sendsMail } = options;
  return async (id) => {
    const due = await findDue(db, id);
    if (!due) return undefined;
    let pauseS: number | undefined;
    const send = async () => {
      pauseS = pauseAfter(await sendMessage(options, due));
    };
    return {
      ...due,
      step: skipped(due) ?? { send },
      noteSent: (transaction) => noteAccepted(transaction, due.webhook_id, pauseS),
      noteFailed: async (transaction, { error, reason, verdict }) => {
        const isGone = error instanceof ReceiverGoneError;
        const failure = { ...verdict, reason, isGone, sendsMail };
        const isOff = await noteReceiverFailure(transaction, due, failure);
        if (isOff) log?.warn({ webhook: due.webhook_id }, "a webhook was switched off");
      },
    };
  };
}

function skipped({ hook, isOver, heldUntil }: DueWebhook): Step | undefined {
  if (hook.state !== "on") return { drop: "off" };
  if (isOver) return { drop: "over" };
  return heldUntil === null ? undefined : { wait: heldUntil };
}

/** @throws NoAnswerError, or the error for a refusal */
async function sendMessage(options: WebhookSenderOptions, due: DueWebhook): Promise<Answer> {
  const { site, egress, usersEgress = INTERNET, timeoutMs } = options;
  const { address, message } = composeMessage(due, site, new Date());
  const answer = await post(address, message, due.user_id === null ? egress : usersEgress, timeoutMs);
  if (answer.status < 200 || answer.status >= 300) throw refusal(due.hook.format, answer);
  return answer;
}

/** Each attempt has its own time and signature; the rest stays the same. */
function composeMessage(
  { hook, event, at, messageId }: DueWebhook,
  site: WebhookSenderOptions["site"],
  now: Date,
): { address: string; message: Message } {
  const agent = { "user-agent": `Almanac (+${site.baseUrl})` };
  if (hook.format === "discord") {
    const url = new URL(hook.url);
    // Without it, Discord accepts messages that it then discards.
    url.searchParams.set("wait", "true");
    const body = discordPayload(event, at, languageFor(hook.language), site);
    return { address: url.href, message: { headers: agent, body } };
  }
  const body = signedPayload(event, at, site);
  const secrets = [hook.salt, hook.formerSalt].flatMap((salt) =>
    salt === null ? [] : [webhookSecret(site.secret, salt)],
  );
  const headers = { ...agent, ...signedHeaders({ id: messageId, at: now, body }, secrets) };
  return { address: hook.url, message: { headers, body } };
}

/**
 * Classifies a refusal of a delivery: ../retries.ts. For Discord's see
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#http
 */
function refusal(format: DueWebhook["hook"]["format"], answer: Answer): Error {
  const { status } = answer;
  const isDiscord = format === "discord";
  const reason = (isDiscord && discordReason(answer)) || `status ${status}`;
  if (status === 410 || (isDiscord && (status === 404 || status === 401))) {
    return new ReceiverGoneError(reason);
  }
  const waitS = status < 400 ? undefined : requestedWait(answer);
  // Without a time to wait, it is a failure like any other: uncounted retries at once would go on for days.
  if (waitS !== undefined && waitS > 0) return new BusyError(reason, waitS, { counts: false });
  // Discord would refuse the same message again.
  if (isDiscord && (status === 400 || status === 413)) return new RefusedForGoodError(reason);
  return new Error(reason);
}

const discordError = z.object({ code: z.int().positive(), message: z.string() });

/** Discord's error messages are cut to this length. */
const DISCORD_CHARACTERS = 200;

/**
 * Discord's error, such as `discord 220001 Webhooks posted to forum channels must have …`; undefined if the response has
 * no code, such as a request to wait.
 */
function discordReason({ status, text }: Answer): string | undefined {
  if (status < 400 || status >= 500 || status === 429) return undefined;
  try {
    const { code, message } = discordError.parse(JSON.parse(text));
    return `discord ${code} ${message.replace(/[\p{Cc}\s]+/gu, " ").slice(0, DISCORD_CHARACTERS)}`.trim();
  } catch {
    return undefined;
  }
}

/** Seconds that the receiver requests, by `Retry-After` or in the body of Discord's 429. */
function requestedWait({ status, headers, text }: Answer): number | undefined {
  const inBody = status === 429 ? /"retry_after":\s*(\d+(?:\.\d+)?)/.exec(text)?.[1] : undefined;
  return inBody === undefined ? secondsToWait(headers["retry-after"]) : Number(inBody);
}

/** Discord announces when a webhook's rate limit is used up: https://discord.com/developers/docs/topics/rate-limits */
function pauseAfter({ headers }: Answer): number | undefined {
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const seconds = Number(headers["x-ratelimit-reset-after"]);
  return seconds > 0 ? Math.min(seconds, LONGEST_PAUSE_S) : undefined;
}

import type { Knex } from "knex";
import type { Logger } from "pino";
import { z } from "zod";
import { addJobs, type Tasks } from "../../db/jobs.ts";
import { INTERNET, type Reach } from "../../web/egress/reach.ts";
import { insist } from "../deliveries.ts";
import { afterFailure } from "../delivery-jobs.ts";
import { compose } from "./compose.ts";
import {
  type DueWebhook,
  drop,
  type Failure,
  findDue,
  noteAccepted,
  noteFailure,
} from "./deliveries-queries.ts";
import { webhookJob } from "./jobs.ts";
import type { WebhookSite } from "./payload.ts";
import { type Answer, NoAnswerError, post } from "./post.ts";

export interface DeliverContext {
  readonly db: Knex;
  readonly log?: Logger;
  readonly site: WebhookSite & { readonly secret: string };
  /** The allowed addresses of the site's webhooks. */
  readonly reach: Reach;
  /** The allowed addresses of users' webhooks; by default the Internet only. */
  readonly usersReach?: Reach;
  readonly timeoutMs?: number;
  /** Whether owners get a mail about a webhook that was switched off. */
  readonly sendsMail: boolean;
}

const payloadSchema = z.object({ deliveryId: z.number() });

/** The longest wait before a retry, even if the receiver requests more. */
const LONGEST_WAIT_S = 3_600;
/** How long a receiver may request waits before the delivery is given up. */
const LONGEST_WAITING_MS = 3 * 86_400_000;

/** Discord's error messages are cut to this length. */
const DISCORD_CHARACTERS = 200;

/** After this many consecutive failures, hold the webhook's other messages too: twice as long each time, up to five minutes. */
const PATIENT_FAILURES = 4;
const LONGEST_HOLD_S = 300;

/** The jobs that send one event to one webhook. It is sent once, unless the process dies before the response is stored. */
export function webhookTasks(context: DeliverContext): Tasks {
  return {
    deliver_webhook: async (payload, { signal }) => {
      const due = await findDue(context.db, payloadSchema.parse(payload).deliveryId);
      if (due) await deliver(context, due, signal);
    },
  };
}

async function deliver(context: DeliverContext, due: DueWebhook, signal: AbortSignal): Promise<void> {
  const { db, log, site, timeoutMs } = context;
  if (due.hook.state !== "on") return drop(db, due.id, "off");
  if (due.isOver) return drop(db, due.id, "over");
  if (due.heldUntil) return addJobs(db, [webhookJob(due, due.heldUntil)]);
  const { usersReach = INTERNET, reach } = context;
  const { address, message } = compose(due, site);
  let answer: Answer;
  try {
    answer = await post(address, message, due.userId === null ? reach : usersReach, timeoutMs);
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return fail(context, due, retried(due, error.message));
  }
  if (answer.status >= 200 && answer.status < 300) {
    return insist(signal, () => noteAccepted(db, due, pauseAfter(answer)));
  }
  log?.debug({ delivery: due.id, status: answer.status }, "a webhook's receiver said no");
  await fail(context, due, judge(due, answer));
}

type Judgement = Omit<Failure, "sendsMail">;

async function fail(
  { db, log, sendsMail }: DeliverContext,
  due: DueWebhook,
  failure: Judgement,
): Promise<void> {
  const { id, webhookId: webhook } = due;
  const hasFailed = await noteFailure(db, due, { ...failure, sendsMail });
  log?.warn(
    { delivery: id, webhook, attempt: due.attempts + 1, reason: failure.reason },
    "a webhook message was not taken",
  );
  if (hasFailed) log?.warn({ webhook }, "a webhook was switched off");
}

/** Discord's answers: https://discord.com/developers/docs/topics/opcodes-and-status-codes#http */
function judge(due: DueWebhook, answer: Answer): Judgement {
  const { status } = answer;
  const isDiscord = due.hook.format === "discord";
  const reason = (isDiscord && discordReason(answer)) || `status ${status}`;
  if (status === 410 || (isDiscord && (status === 404 || status === 401))) {
    return { reason, retryS: undefined, holdS: 0, isGone: true };
  }
  const waitS = status < 400 ? undefined : secondsToWait(answer);
  if (waitS !== undefined) {
    const retryS = Math.min(Math.max(waitS, 1), LONGEST_WAIT_S);
    const isTooLate = Date.now() - due.createdAt.getTime() > LONGEST_WAITING_MS;
    return { reason, retryS: isTooLate ? undefined : retryS, holdS: retryS, isWait: true };
  }
  // Discord would refuse the same message again.
  if (isDiscord && (status === 400 || status === 413)) return { reason, retryS: undefined, holdS: 0 };
  return retried(due, reason);
}

const discordError = z.object({ code: z.int().positive(), message: z.string() });

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

function retried(due: DueWebhook, reason: string): Judgement {
  const next = afterFailure(new Error(reason), due.attempts + 1);
  const doublings = due.hook.failures + 1 - PATIENT_FAILURES;
  const holdS = doublings < 0 ? 0 : Math.min(2 ** doublings, LONGEST_HOLD_S);
  return { reason, retryS: typeof next === "number" ? next / 1000 : undefined, holdS };
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3), in seconds or as a time, or the fractional seconds in Discord's 429. */
function secondsToWait({ status, headers, text }: Answer): number | undefined {
  const asked = headers["retry-after"] ?? "";
  const inBody = status === 429 ? /"retry_after":\s*(\d+(?:\.\d+)?)/.exec(text)?.[1] : undefined;
  if (inBody !== undefined) return Number(inBody);
  if (/^\d+(\.\d+)?$/.test(asked)) return Number(asked);
  // A valid time begins with the day of the week, but Date.parse also takes texts like "-5".
  const until = /^[a-z]/i.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1000);
}

/** Discord announces when a webhook's rate limit is used up: https://discord.com/developers/docs/topics/rate-limits */
function pauseAfter({ headers }: Answer): number | undefined {
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const seconds = Number(headers["x-ratelimit-reset-after"]);
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT_S) : undefined;
}

import { guardedLookup, NotPublicError } from "../../web/egress/policy.ts";
import { type Answer, postTo } from "../exchange.ts";
import { readAddress, resolverFor, type WebhookEgressPolicy } from "./address.ts";

/** From the look-up of the name to the end of the response. */
const TIMEOUT_MS = 10_000;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/**
 * No response arrived. The `message` is one of a few words, some followed by a code: `not_public`, `not_opened`,
 * `timeout 10` (seconds), `tls CERT_HAS_EXPIRED`, `broken ECONNRESET`. The texts are `webhooks.reason.<word>`; more
 * could reveal details of the network.
 */
class NoAnswerError extends Error {
  override name = "NoAnswerError";
}

/**
 * Posts a message to an address, after checking it with `readAddress` again, because the rules may have changed since
 * it was stored. Follows no redirect, keeps no connection, and reads a short response at most.
 * @throws NoAnswerError
 */
export async function post(
  address: string,
  message: Message,
  egress: WebhookEgressPolicy,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const read = readAddress(address, egress);
  const isOpenedOnly = "url" in read && read.isOpenedOnly;
  try {
    if ("fault" in read) throw new NotPublicError(read.fault);
    const allowed = isOpenedOnly ? { ...egress, isPublic: () => false } : egress;
    return await postTo(read.url, {
      headers: {
        ...message.headers,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(message.body)),
      },
      body: message.body,
      agent: false,
      signal,
      lookup: guardedLookup(read.url, allowed, resolverFor(egress)),
    });
  } catch (error) {
    const reason = signal.aborted ? `timeout ${timeoutMs / 1000}` : describeFailure(error, isOpenedOnly);
    throw new NoAnswerError(reason, { cause: error });
  }
}

/** Why a connection failed, in the words of `NoAnswerError`. */
export function describeFailure(error: unknown, isOpenedOnly = false): string {
  if (error instanceof NotPublicError) return isOpenedOnly ? "not_opened" : "not_public";
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  return /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|ALTNAME/.test(code) ? `tls ${code}` : `broken ${code}`;
}

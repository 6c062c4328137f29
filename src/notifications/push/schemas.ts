import { createPublicKey } from "node:crypto";
import { z } from "zod";
import { isOnHost } from "../../settings/values.ts";
import { badInput } from "../../web/pages/errors.ts";
import { zodMessage } from "../../words/i18n/lazy-text.ts";

const ENDPOINT_CHARACTERS = 2000;

const required = z.string({ error: zodMessage("input.required") });

const endpoint = required.max(
  ENDPOINT_CHARACTERS,
  zodMessage("input.characters_at_most", { max: ENDPOINT_CHARACTERS }),
);

/** The browser's public key (RFC 8291, section 3.1): an uncompressed point of P-256. */
const p256dh = required.refine(isPoint, zodMessage("input.p256_point"));

/** The secret that the browser shares with its senders. */
const auth = required.regex(/^[\w-]{22}$/, zodMessage("input.bytes_base64url", { bytes: 16 }));

export const subscriptionInput = z.object({
  endpoint,
  keys: z.object({ p256dh, auth }, { error: zodMessage("input.keys", { names: "p256dh, auth" }) }),
  /** The endpoint that this one replaces, after the browser or its push service changed it. */
  replaces: endpoint.optional(),
});

export const endpointInput = z.object({ endpoint });

/**
 * Reads a nested JSON body.
 * @throws HttpError 400 naming every wrong field
 */
export function parseBody<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badInput(
    parsed.error.issues.map(({ path, message }) =>
      path.length > 0
        ? { param: path.join("."), message }
        : { param: "body", message: zodMessage("input.json_object") },
    ),
  );
}

/**
 * The address of a browser's subscription, if this site may send to it: HTTPS on a host of `services` (`host`,
 * `host:port` or `*.domain`). Otherwise a user could make the server send requests to machines that only it can reach.
 * @returns the normalised address, or undefined
 */
export function pushEndpoint(text: string, services: readonly string[]): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.username || url.password || url.hash) return undefined;
  return services.some((service) => isOnHost(url, service)) ? url.href : undefined;
}

function isPoint(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 65 || bytes[0] !== 4 || bytes.toString("base64url") !== text) return false;
  const coordinate = (start: number) => bytes.subarray(start, start + 32).toString("base64url");
  try {
    createPublicKey({
      format: "jwk",
      key: { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) },
    });
    return true;
  } catch {
    return false;
  }
}

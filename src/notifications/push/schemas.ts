import { createPublicKey } from "node:crypto";
import { z } from "zod";
import { badInput } from "../../http/errors.ts";

const ENDPOINT_CHARACTERS = 2000;

const endpoint = z
  .string({ error: "is required" })
  .max(ENDPOINT_CHARACTERS, `must have at most ${ENDPOINT_CHARACTERS} characters`);

/** The browser's public key, as RFC 8291, section 3.1, has it: an uncompressed point of P-256. */
const p256dh = z
  .string({ error: "is required" })
  .refine(isPoint, "must be an uncompressed point of the curve P-256 in base64url");

/** The secret that the browser shares with who may write to it. */
const auth = z.string({ error: "is required" }).regex(/^[\w-]{22}$/, "must be 16 bytes in base64url");

/** A subscription as a browser's `PushSubscription.toJSON()` writes it, and more. */
export const subscriptionInput = z.object({
  endpoint,
  keys: z.object({ p256dh, auth }, { error: "must hold p256dh and auth" }),
  /** The endpoint that this one takes the place of, after the browser or its push service renewed it. */
  replaces: endpoint.optional(),
});

export const endpointInput = z.object({ endpoint });

/**
 * Reads a JSON body that is no flat list of parameters.
 * @throws HttpError 400 naming every field that is wrong
 */
export function parseBody<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badInput(
    parsed.error.issues.map(({ path, message }) =>
      path.length > 0
        ? { param: path.join("."), message }
        : { param: "body", message: "must be a JSON object" },
    ),
  );
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

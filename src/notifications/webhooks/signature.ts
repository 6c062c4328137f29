import { createHmac, hkdfSync } from "node:crypto";

/**
 * A webhook's secret, as its owner sees it once: `whsec_` and 32 bytes in base64. It is made from the site's own secret
 * and a random salt, so that a copy of the database is no use for forging messages.
 */
export function webhookSecret(sessionSecret: string, salt: Buffer): string {
  const key = Buffer.from(hkdfSync("sha256", sessionSecret, salt, "almanac webhook", 32));
  return `whsec_${key.toString("base64")}`;
}

/**
 * The headers of a signed message, with a signature for each secret.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly string[],
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": signatures.join(" "),
  };
}

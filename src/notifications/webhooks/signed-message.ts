import { createHmac, hkdfSync } from "node:crypto";
import { chooseSharedPicture, type Pictured, type PictureSite } from "../../records/picture.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { ToldRecord, WebhookEvent } from "./events.ts";

export interface WebhookSite extends PictureSite {
  readonly name: string;
}

/**
 * The body of a signed message, as docs/webhooks.md describes it. The same event always has the same text, so that a
 * repeat is identical byte for byte.
 */
export function signedPayload(event: WebhookEvent, at: Date, site: WebhookSite): string {
  return JSON.stringify({ type: event.type, timestamp: at.toISOString(), data: renderData(event, site) });
}

function renderData(event: WebhookEvent, site: WebhookSite): object {
  const link = (path: string) => absoluteUrl(site.baseUrl, path);
  switch (event.type) {
    case "discount.started":
      return {
        count: event.data.count,
        discounts: event.data.discounts.map((discount) => ({
          id: discount.id,
          title: discount.title,
          titles: discount.titles,
          item: { ...renderRecord(discount.item, site), url: link(paths.donateItem(discount.item.id)) },
          old_price: discount.oldPrice,
          price: discount.newPrice,
          currency: discount.currency,
          starts_at: discount.startsAt,
          ends_at: discount.endsAt,
        })),
        url: link(paths.donate()),
      };
    case "entries.added":
    case "entries.changed": {
      const { kind, count, entries } = event.data;
      return {
        kind,
        count,
        entries: entries.map((entry) => ({
          ...renderRecord(entry, site),
          category: entry.category,
          revision: entry.revision,
          url: link(paths.entry(kind, entry.id)),
        })),
        url: link(paths.catalogue(kind)),
      };
    }
    case "server.down":
    case "server.up":
      return {
        count: event.data.count,
        servers: event.data.servers.map((server) => ({ ...server, url: link(paths.server(server.id)) })),
        url: link(paths.servers()),
      };
    case "test":
      return {};
  }
}

function renderRecord(record: ToldRecord, site: PictureSite) {
  const { id, name, names } = record;
  return { id, name, names, picture: chooseSharedPicture(record satisfies Pictured, site)?.url ?? null };
}

/**
 * A webhook's secret, as its owner sees it once: `whsec_` and 32 bytes in base64. It is derived from the site's own
 * secret and a random salt, so that nobody can forge messages with a copy of the database.
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

import { z } from "zod";
import { alertWords } from "../../notifications/alerts/alert-words.ts";
import {
  countInbox,
  type InboxAlert,
  type InboxDiscount,
  type InboxNotification,
  listInbox,
} from "../../notifications/inbox-queries.ts";
import { offerText } from "../../records/prices/sale-words.ts";
import type { Endpoint } from "../../web/api/endpoint.ts";
import { formatFor } from "../../web/request/format.ts";
import { oneOf } from "../../web/request/params.ts";
import { languageFor } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { translate } from "../../words/i18n/translate.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { KeyColumn } from "../read/keyset.ts";
import { pageOf } from "../read/lists.ts";
import { time } from "../read/record.ts";
import { userList } from "./lists.ts";

/** As in the inbox. */
const ORDER: readonly KeyColumn[] = [
  { sql: "created_at", type: "timestamptz", descending: true },
  { sql: "id", type: "numeric", descending: true },
];

/** `GET /api/notifications`: the inbox of the key's owner. Reading it marks nothing as read. */
export function listOfNotifications(): Endpoint {
  return userList({
    path: "/api/notifications",
    operationId: "listNotifications",
    access: "read:notifications",
    schema: notificationSchema(),
    filters: { unread: oneOf(["1"]).optional() },
    async read({ unread }, { userId, limit, cursor, lang }, { secret, baseUrl, snapshot }) {
      const db = await snapshot();
      // A cursor is of one user's list and of nobody else's.
      const list = { secret, kind: `notifications of ${userId}`, sort: unread ?? "" };
      const query = db("notifications").select("id").where({ user_id: userId });
      if (unread) query.whereNull("read_at");
      const page = await pageOf<{ id: number }>(query, ORDER, list, { limit, cursor, language: lang });
      const ids = page.rows.map(({ id }) => id);
      const rows = ids.length === 0 ? [] : await listInbox(db, userId, { ids, limit });
      const counts = await countInbox(db, userId);
      return {
        total: unread ? counts.unread : counts.total,
        next: page.next,
        rows: rows.map((row) => toJson(row, lang, baseUrl)),
      };
    },
  });
}

function notificationSchema() {
  const amount = z.string().nullable();
  const count = z.int().nullable();
  return z
    .object({
      id: z.string(),
      about: z.enum(["discount", "price", "server"]).meta({
        description:
          "discount: of a favorite of the shop; price: its regular price came down to a wish; server: an alert.",
      }),
      title: z.string().meta({ description: "In one line; in English without `lang`." }),
      name: z.string().meta({ description: "Of the item or the server." }),
      item_key: z.string().nullable().meta({ description: "null: it is about a server, or was removed." }),
      server_id: z.string().nullable(),
      url: z.url().meta({ description: "The page of what it is about; the inbox where that was removed." }),
      offer: z
        .object({
          old_price: amount.meta({ description: "When the notification was made, as the next three." }),
          new_price: z.string(),
          low: z
            .enum(["ever", "lately"])
            .nullable()
            .meta({ description: "Whether it was the lowest price." }),
          wish: amount.meta({ description: "The wished price that it answers." }),
          currency: z.string(),
          state: z.enum(["running", "coming", "ended"]).meta({ description: "Now." }),
          price_now: amount.meta({ description: "What the item costs now; null: not known, or removed." }),
          starts_at: time.nullable(),
          ends_at: time.nullable().meta({ description: "Null without a known end." }),
        })
        .nullable()
        .meta({ description: "null: it is about a server." }),
      alert: z
        .object({
          what: z.enum(["down", "up", "slot", "queue", "online"]),
          value: count.meta({ description: "The limit that was asked for." }),
          at: time,
          online: count,
          queue: count,
          max_online: count,
        })
        .nullable()
        .meta({ description: "null: it is about the shop." }),
      created_at: time,
      read_at: time.nullable().meta({ description: "null: unread." }),
    })
    .meta({ id: "Notification" });
}

function toJson(row: InboxNotification, lang: string | undefined, baseUrl: string) {
  const { about, title, name, itemKey, serverId, path, offer, alert } =
    row.alert === null ? ofDiscount(row, lang) : ofAlert(row, lang);
  return {
    id: String(row.id),
    about,
    title,
    name,
    item_key: itemKey,
    server_id: serverId,
    url: absoluteUrl(baseUrl, path),
    offer,
    alert,
    created_at: row.created_at.toISOString(),
    read_at: row.read_at?.toISOString() ?? null,
  };
}

function ofAlert({ alert }: InboxAlert, lang: string | undefined) {
  const language = languageFor(lang ?? null);
  const { serverId, serverName: name, what, value, at, online, queue, maxOnline } = alert;
  return {
    about: "server" as const,
    title: alertWords(alert, translate(language), language).title,
    name,
    itemKey: null,
    serverId,
    path: paths.server(serverId),
    offer: null,
    alert: { what, value, at: at.toISOString(), online, queue, max_online: maxOnline },
  };
}

function ofDiscount(row: InboxDiscount, lang: string | undefined) {
  const language = languageFor(lang ?? null);
  const { item_name, item_names, item_key, old_price, new_price, low, wish, currency, state, paid_now } = row;
  const name = lang === undefined ? item_name : localName({ name: item_name, names: item_names }, lang).name;
  const writing = { t: translate(language), format: formatFor(language) };
  return {
    about: row.is_regular ? ("price" as const) : ("discount" as const),
    title: `${name}: ${offerText(row, writing)}`,
    name,
    itemKey: item_key,
    serverId: null,
    path: item_key === null ? paths.notifications() : paths.donateItem(item_key),
    offer: {
      ...{ old_price, new_price, low, wish, currency, state },
      price_now: paid_now,
      starts_at: row.starts_at?.toISOString() ?? null,
      ends_at: row.ends_at?.toISOString() ?? null,
    },
    alert: null,
  };
}

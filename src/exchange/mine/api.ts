import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import { alertWords } from "../../notifications/alerts/alert-words.ts";
import { type UserAlert, userAlertsSql } from "../../notifications/alerts/user-alert-queries.ts";
import {
  countInbox,
  type InboxAlert,
  type InboxDiscount,
  type InboxNotification,
  type InboxSuggestion,
  listInbox,
} from "../../notifications/inbox-queries.ts";
import { offerText } from "../../records/prices/prices.ts";
import type { Endpoint, ReadContext } from "../../web/api/endpoint.ts";
import { formatFor } from "../../web/request/format.ts";
import { oneOf } from "../../web/request/params.ts";
import { languageFor } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { translate } from "../../words/i18n/translate.ts";
import { favoriteKinds, kindBySingular, reportedNoun } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import { type KeyColumn, pageOf } from "../read/lists.ts";
import { pagedList } from "../read/paged-list.ts";
import { nameFields, time } from "../read/record.ts";

/** Newest first; what was marked in one moment, by kind and id. */
const FAVORITE_ORDER: readonly KeyColumn[] = [
  { sql: "favorite.added_at", type: "timestamptz", descending: true },
  { sql: 'favorite.kind collate "C"', type: "text" },
  { sql: "favorite.id", type: "text" },
];

interface FavoriteRow {
  /** As records of the API call it. */
  kind: string;
  id: string;
  name: string;
  names: Record<string, string>;
  category: string | null;
  added_at: Date;
  /** The price that the user waits for, in the item's currency; null: none. */
  wish: string | null;
  wish_currency: string | null;
  /** The user's alerts for a server, or null for other kinds. */
  alerts: UserAlert[] | null;
}

/** As in the inbox. */
const NOTIFICATION_ORDER: readonly KeyColumn[] = [
  { sql: "created_at", type: "timestamptz", descending: true },
  { sql: "id", type: "numeric", descending: true },
];

/** What a key with the scope for it reads of its owner, and nobody else. */
export function userEndpoints(): Endpoint[] {
  return [listOfFavorites(), listOfNotifications()];
}

/** `GET /api/favorites`: what the key's owner marked with the star. */
function listOfFavorites(): Endpoint {
  const kinds = ["server", "shop_item", ...favoriteKinds()] as const;
  return pagedList({
    path: "/api/favorites",
    operationId: "listFavorites",
    access: "read:favorites",
    schema: favoriteSchema(kinds),
    input: { kind: oneOf(kinds).optional() },
    cache: "client",
    async read({ kind }, asked, context) {
      const { secret, baseUrl } = context;
      const userId = ownerOf(context);
      const db = await context.snapshot();
      // A cursor is of one user's list and of nobody else's.
      const list = { secret, kind: `favorites of ${userId}`, sort: kind ?? "" };
      const favorites = favoritesOf(db, userId, kind);
      const page = await pageOf<FavoriteRow>(
        db.select("favorite.*").from(favorites),
        FAVORITE_ORDER,
        list,
        asked,
      );
      const { total } = await selectRow<{ total: number }>(db, "select count(*)::int as total from ?", [
        favorites,
      ]);
      return {
        total,
        next: page.next,
        rows: page.rows.map((row) => toFavorite(row, asked.language, baseUrl)),
      };
    },
  });
}

function favoriteSchema(kinds: readonly string[]) {
  const { name, names, category } = nameFields;
  return z
    .object({
      kind: z.enum(kinds),
      id: z.string(),
      name,
      names,
      category,
      url: z.url().meta({ description: "Its page." }),
      wish: z
        .object({ price: z.string(), currency: z.string() })
        .nullable()
        .meta({ description: "Of an item of the shop: the price that its user waits for." }),
      alerts: z
        .array(
          z.object({ what: z.enum(["down", "up", "slot", "queue", "online"]), value: z.int().nullable() }),
        )
        .meta({ description: "Of a server: what its user is told of." }),
      added_at: time.meta({ description: "When it was marked." }),
    })
    .meta({ id: "Favorite" });
}

/** A user's favorites of all kinds, or of one, as a table `favorite`. */
function favoritesOf(db: Db, userId: number, kind: string | undefined) {
  const parts: Record<string, string> = {
    server: `select 'server' as kind, server.id, server.name, '{}'::jsonb as names, null as category,
                    f.created_at as added_at, null::text as wish, null as wish_currency,
                    ${userAlertsSql("f.user_id")} as alerts
               from server_favorites f join servers server on server.id = f.server_id`,
    shop_item: `select 'shop_item', item.id, item.name, item.names, item.category, f.created_at,
                       case when f.wish_currency = item.currency then f.wish::text end, item.currency, null::json
                  from donate_favorites f join donate_items item on item.id = f.item_key`,
  };
  const bindings: Record<string, string | number> = { userId };
  for (const [place, word] of favoriteKinds().entries()) {
    parts[word] = `select :word${place}, e.id, e.name, e.names, e.category, f.created_at, null, null, null
                     from entity_favorites f join :table${place}: e on e.id = f.:column${place}:`;
    Object.assign(bindings, {
      [`word${place}`]: word,
      [`table${place}`]: kindBySingular(word),
      [`column${place}`]: `${word}_id`,
    });
  }
  // The first names the columns.
  const wanted = Object.keys(parts).filter(
    (each) => each === "server" || kind === undefined || each === kind,
  );
  const sql = wanted.map((each) => {
    const isWanted = kind === undefined || each === kind;
    return `(${parts[each]} where f.user_id = :userId${isWanted ? "" : " and false"})`;
  });
  return db.raw(`(${sql.join(" union all ")}) as favorite`, bindings);
}

function toFavorite(row: FavoriteRow, language: string | undefined, baseUrl: string) {
  const { kind, id, name, names, category, wish, wish_currency, alerts, added_at } = row;
  return {
    kind,
    id,
    name: language === undefined ? name : localName({ name, names }, language).name,
    names,
    category,
    url: absoluteUrl(baseUrl, pageOfFavorite(kind, id)),
    wish: wish === null ? null : { price: wish, currency: wish_currency },
    alerts: alerts ?? [],
    added_at: added_at.toISOString(),
  };
}

function pageOfFavorite(kind: string, id: string): string {
  if (kind === "server") return paths.server(id);
  const catalogue = kindBySingular(kind);
  return catalogue === undefined ? paths.donateItem(id) : paths.entry(catalogue, id);
}

/** `GET /api/notifications`: the inbox of the key's owner. Reading it marks nothing as read. */
function listOfNotifications(): Endpoint {
  return pagedList({
    path: "/api/notifications",
    operationId: "listNotifications",
    access: "read:notifications",
    schema: notificationSchema(),
    input: { unread: oneOf(["1"]).optional() },
    cache: "client",
    async read({ unread }, asked, context) {
      const { secret, baseUrl } = context;
      const userId = ownerOf(context);
      const db = await context.snapshot();
      // A cursor is of one user's list and of nobody else's.
      const list = { secret, kind: `notifications of ${userId}`, sort: unread ?? "" };
      const query = db("notifications").select("id").where({ user_id: userId });
      if (unread) query.whereNull("read_at");
      const page = await pageOf<{ id: number }>(query, NOTIFICATION_ORDER, list, asked);
      const ids = page.rows.map(({ id }) => id);
      const rows = ids.length === 0 ? [] : await listInbox(db, userId, { ids, limit: asked.limit });
      const counts = await countInbox(db, userId);
      return {
        total: unread ? counts.unread : counts.total,
        next: page.next,
        rows: rows.map((row) => toNotification(row, asked.language, baseUrl)),
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
      about: z.enum(["discount", "price", "server", "suggestion"]).meta({
        description:
          "discount: of a favorite of the shop; price: its regular price came down to a wish; server: an alert; " +
          "suggestion: what became of a mistake that the user reported.",
      }),
      title: z.string().meta({ description: "In one line; in English without `lang`." }),
      name: z.string().meta({ description: "Of the item, the server or the record." }),
      item_key: z
        .string()
        .nullable()
        .meta({ description: "null: it is about something else, or was removed." }),
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
        .meta({ description: "null: it is not about the shop." }),
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
        .meta({ description: "null: it is not about a server." }),
      suggestion: z
        .object({
          kind: z.string(),
          id: z.string(),
          state: z.enum(["accepted", "declined"]),
          reason: z.string().nullable(),
        })
        .nullable()
        .meta({ description: "null: it is about something else." }),
      created_at: time,
      read_at: time.nullable().meta({ description: "null: unread." }),
    })
    .meta({ id: "Notification" });
}

function toNotification(row: InboxNotification, lang: string | undefined, baseUrl: string) {
  const { path, ...fields } = described(row, lang);
  return {
    id: String(row.id),
    ...fields,
    url: absoluteUrl(baseUrl, path),
    created_at: row.created_at.toISOString(),
    read_at: row.read_at?.toISOString() ?? null,
  };
}

/** What a notification is not about. */
const NOTHING = { item_key: null, server_id: null, offer: null, alert: null, suggestion: null };

function described(row: InboxNotification, lang: string | undefined) {
  if (row.alert !== null) return ofAlert(row, lang);
  return row.suggestion === null ? ofDiscount(row, lang) : ofSuggestion(row, lang);
}

function ofSuggestion({ suggestion }: InboxSuggestion, lang: string | undefined) {
  const { kind, entryId, name, state, reason } = suggestion;
  return {
    about: "suggestion" as const,
    title: translate(languageFor(lang ?? null))(`suggestions.outcome.${state}`, { name }),
    name,
    ...NOTHING,
    path: paths.reported(kind, entryId),
    suggestion: { kind: reportedNoun(kind), id: entryId, state, reason },
  };
}

function ofAlert({ alert }: InboxAlert, lang: string | undefined) {
  const language = languageFor(lang ?? null);
  const { serverId, serverName: name, what, value, at, online, queue, maxOnline } = alert;
  return {
    about: "server" as const,
    title: alertWords(alert, translate(language), language).title,
    name,
    ...NOTHING,
    server_id: serverId,
    path: paths.server(serverId),
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
    ...NOTHING,
    item_key,
    path: item_key === null ? paths.notifications() : paths.donateItem(item_key),
    offer: {
      ...{ old_price, new_price, low, wish, currency, state },
      price_now: paid_now,
      starts_at: row.starts_at?.toISOString() ?? null,
      ends_at: row.ends_at?.toISOString() ?? null,
    },
  };
}

/** The user whose list it is. */
function ownerOf({ userId }: ReadContext): number {
  if (userId === undefined) throw new Error("the access to a user's list must name a user");
  return userId;
}

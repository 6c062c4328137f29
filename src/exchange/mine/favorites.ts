import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import { type AskedAlert, askedOfServer } from "../../notifications/alerts/asked-queries.ts";
import type { Endpoint } from "../../web/api/endpoint.ts";
import { oneOf } from "../../web/request/params.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { favoriteKinds, kindBySingular } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { KeyColumn } from "../read/keyset.ts";
import { pageOf } from "../read/lists.ts";
import { nameFields, time } from "../read/record.ts";
import { userList } from "./lists.ts";

/** Newest first; what was marked in one moment, by kind and id. */
const ORDER: readonly KeyColumn[] = [
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
  alerts: AskedAlert[] | null;
}

/** `GET /api/favorites`: what the key's owner marked with the star. */
export function listOfFavorites(): Endpoint {
  const kinds = ["server", "shop_item", ...favoriteKinds()] as const;
  return userList({
    path: "/api/favorites",
    operationId: "listFavorites",
    access: "read:favorites",
    schema: favoriteSchema(kinds),
    filters: { kind: oneOf(kinds).optional() },
    async read({ kind }, { userId, limit, cursor, lang }, { secret, baseUrl, snapshot }) {
      const db = await snapshot();
      // A cursor is of one user's list and of nobody else's.
      const list = { secret, kind: `favorites of ${userId}`, sort: kind ?? "" };
      const asked = { limit, cursor, language: lang };
      const favorites = favoritesOf(db, userId, kind);
      const page = await pageOf<FavoriteRow>(db.select("favorite.*").from(favorites), ORDER, list, asked);
      const { total } = await selectRow<{ total: number }>(db, "select count(*)::int as total from ?", [
        favorites,
      ]);
      return { total, next: page.next, rows: page.rows.map((row) => toJson(row, lang, baseUrl)) };
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
                    ${askedOfServer("f.user_id")} as alerts
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

function toJson(row: FavoriteRow, language: string | undefined, baseUrl: string) {
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

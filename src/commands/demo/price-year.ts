import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { importRecords } from "../../exchange/import/import-records.ts";
import { readSeed } from "./seeds.ts";

const DAY_MS = 24 * 3_600_000;

/** The prices of the shop's items in the year before the demo was loaded, from seeds/demo/price-year.json. */
interface PriceYear {
  /** Sales that items took part in, named by the days since they began. */
  sales: { days_ago: number; days: number; titles: Record<string, string> }[];
  /** Regular prices, the oldest first and the last one of today, and the share that each sale took off. */
  items: {
    item_key: string;
    prices: { days_ago: number; price: string }[];
    sales: { event: number; percent: string }[];
  }[];
}

/** An item of the demo whose history is only what happened since it was loaded. */
interface ShortItem {
  id: string;
  price: string | null;
  /** When the demo was loaded. */
  created_at: Date;
}

/**
 * Gives the shop's demo items the year of prices and discounts before they were loaded, also where an earlier version
 * loaded them. An item whose price somebody changed since keeps its own history. Safe to call again.
 */
export async function writePriceYear(db: Db): Promise<void> {
  const items = await listShortItems(db);
  if (items.length === 0) return;
  const year = await readSeed<PriceYear>("price-year");
  const known = new Map(items.map((item) => [item.id, item]));
  const wanted = year.items.flatMap((item) => {
    const stored = known.get(item.item_key);
    return stored && stored.price === item.prices.at(-1)?.price
      ? [{ ...item, loadedAt: stored.created_at }]
      : [];
  });
  for (const { item_key, prices, loadedAt } of wanted) await writePrices(db, item_key, prices, loadedAt);
  const discounts = wanted.flatMap((item) => pastDiscounts(item, year.sales));
  if (discounts.length > 0) await importRecords(db, "discounts", discounts, { demo: true });
}

async function listShortItems(db: Db): Promise<ShortItem[]> {
  return selectRows<ShortItem>(
    db,
    `select item.id, item.price, item.created_at
       from donate_items item join price_versions version on version.item_key = item.id
      where item.demo
      group by item.id
     having count(*) = 1 and min(version.valid_from) > item.created_at - interval '300 days'`,
  );
}

/** Begins the price of today when it was set, and puts the earlier ones before it. */
async function writePrices(
  db: Db,
  itemKey: string,
  prices: PriceYear["items"][number]["prices"],
  loadedAt: Date,
): Promise<void> {
  const spans = prices.map(({ price, days_ago }, place) => {
    const next = prices[place + 1];
    return { price, from: before(loadedAt, days_ago), to: next ? before(loadedAt, next.days_ago) : null };
  });
  const now = spans.at(-1);
  if (!now) return;
  await db("price_versions").where({ item_key: itemKey, valid_to: null }).update({ valid_from: now.from });
  await db.raw(
    `insert into price_versions (item_key, price, currency, valid_from, valid_to)
     select item.id, past.price, item.currency, past."from", past."to"
       from donate_items item,
            jsonb_to_recordset(:past::jsonb) past (price numeric, "from" timestamptz, "to" timestamptz)
      where item.id = :itemKey`,
    { itemKey, past: JSON.stringify(spans.slice(0, -1)) },
  );
}

/** Records of the discounts that an item had in its year. */
function pastDiscounts(
  { item_key, sales, loadedAt }: PriceYear["items"][number] & { loadedAt: Date },
  events: PriceYear["sales"],
): Record<string, unknown>[] {
  return sales.flatMap(({ event, percent }) => {
    const sale = events.find(({ days_ago }) => days_ago === event);
    if (!sale) return [];
    const starts_at = before(loadedAt, sale.days_ago).toISOString();
    const ends_at = before(loadedAt, sale.days_ago - sale.days).toISOString();
    return [{ id: `${item_key}-${event}`, item_key, titles: sale.titles, percent, starts_at, ends_at }];
  });
}

function before(time: Date, days: number): Date {
  return new Date(time.getTime() - days * DAY_MS);
}

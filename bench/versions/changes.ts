import { setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { History, Stream } from "./history.ts";

const RECORDS = 8;
/** Prices fall, so the lowest one of the last weeks, which pages show too, is that of the newest discount. */
export const HIGHEST_PRICE = 50_000;
const IDS = Array.from({ length: RECORDS }, (_, n) => String(n + 1));

const EVERY_MS = 20;
const STARTS_IN_MS = 50;

/** Makes changes of all kinds at random, so many in all; `fill` comes before. */
export async function makeChanges(db: Knex, history: History, count: number): Promise<void> {
  const streams = Object.keys(CHANGES) as Stream[];
  for (let number = 1; number <= count; number++) {
    const stream = streams[Math.floor(Math.random() * streams.length)] ?? "items";
    await CHANGES[stream](db, history, number);
    await pause(Math.random() * 2 * EVERY_MS);
  }
}

type Change = (db: Knex, history: History, number: number) => Promise<void>;

/** Each record has a mark such as `i17i`, with the number of the change. */
const CHANGES: Record<Stream, Change> = {
  items: async (db, history, number) => {
    await db("items").update({
      name: db.raw("'Gun ' || id || ' i' || ? || 'i'", [number]),
      updated_at: db.fn.now(),
    });
    history.note("items", number);
  },
  imported: async (db, history, number) => {
    const records = IDS.map((id) => ({ id, name: `Car ${id} c${number}c` }));
    await importRecords(db, "vehicles", records);
    history.note("imported", number);
  },
  servers: async (db, history, number) => {
    const figures = { online: number, status: "online", checked_at: db.fn.now(), updated_at: db.fn.now() };
    await db("servers").update({ ...figures, name: db.raw("'Server ' || id || ' v' || ? || 'v'", [number]) });
    history.note("servers", number);
  },
  shop: async (db, history, number) => {
    await db("donate_items").update({ name: db.raw("'Rank ' || id || ' s' || ? || 's'", [number]) });
    history.note("shop", number);
  },
  /**
   * A discount that begins by the clock, replacing the previous one. It lasts for some milliseconds at least, because
   * a discount of zero length is a lowest price but not in the line of prices.
   */
  sale: async (db, history, number) => {
    const startsAt = performance.now() + STARTS_IN_MS;
    await db.transaction(async (transaction) => {
      await transaction("discounts").delete();
      await transaction("discounts").insert({
        id: `sale-${number}`,
        item_key: "1",
        price: `${HIGHEST_PRICE - number}.37`,
        starts_at: transaction.raw(`clock_timestamp() + interval '${STARTS_IN_MS} milliseconds'`),
        ends_at: transaction.raw("clock_timestamp() + interval '10 minutes'"),
      });
    });
    history.note("sale", number, startsAt);
    await pause(STARTS_IN_MS + 10);
  },
};

/** The records that are changed. */
export async function fill(db: Knex, history: History): Promise<void> {
  await db("items").insert(IDS.map((id) => ({ id, name: `Gun ${id} i0i` })));
  await db("vehicles").insert(IDS.map((id) => ({ id, name: `Car ${id} c0c` })));
  await db("servers").insert(IDS.map((id) => ({ id, name: `Server ${id} v0v`, online: 0 })));
  const price = { price: "99999.00", currency: "EUR" };
  await db("donate_items").insert(IDS.map((id) => ({ id, name: `Rank ${id} s0s`, ...price })));
  for (const stream of ["items", "imported", "servers", "shop"] as const) history.note(stream, 0);
}

import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { notifyOfDiscount, notifyOfNewFavorite } from "../../src/notifications/notify.ts";
import { markWithoutFavorites } from "../../src/notifications/notify-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { changeUnnoticed, openTransaction } from "../helpers/database.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { beginAnew, notifyAll } from "../helpers/notify.ts";
import { addDiscount, hours } from "../helpers/things.ts";

const site = useTestApp();

let item = "";
let userId = 0;

beforeEach(async () => {
  ({ userId, item } = await beginAnew(site));
});

/** A discount that has not begun. */
const addComing = () => addDiscount(site.db, "sale", item, { starts_at: hours(site.db, 1) });

/** The clock reaches the start of that discount. */
const begin = () =>
  changeUnnoticed(site.db, (db) => db("discounts").update({ starts_at: db.raw("clock_timestamp()") }));

/** What a toggle does, up to its commit. */
async function addFavorite(transaction: Knex.Transaction): Promise<void> {
  await transaction("donate_favorites").insert({ user_id: userId, item_key: item });
  await notifyOfNewFavorite(transaction, userId, item);
}

/**
 * Starts some work while the page of that number is being notified; that page commits only once the work waits for
 * one of its locks. The promise `done` resolves with the work. Notifying through `db` continues after that page only
 * once the work is done. Otherwise either of them could be the first to lock the row again.
 */
async function onPage(
  number: number,
  work: () => PromiseLike<unknown>,
): Promise<{ done: Promise<unknown>; db: Knex }> {
  let pages = 0;
  const done = new Promise((resolve, reject) => {
    const look = ({ sql }: { sql: string }) => {
      if (!sql.includes("insert into notifications")) return;
      pages += 1;
      if (pages !== number) return;
      site.db.removeListener("query", look);
      work().then(resolve, reject);
    };
    site.db.on("query", look);
    onTestFinished(() => void site.db.removeListener("query", look));
  });
  await site.db.raw(`
    create sequence pages_told;
    create function wait_for_waiter() returns trigger language plpgsql as $$
    begin
      if nextval('pages_told') <> ${number} then return null; end if;
      for look in 1..1000 loop
        if exists (select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))) then
          return null;
        end if;
        perform pg_sleep(0.01);
      end loop;
      raise exception 'nothing waits for page ${number}';
    end $$;
    create trigger wait_for_waiter after insert on notifications for each statement execute function wait_for_waiter()`);
  onTestFinished(async () => {
    await site.db.raw("drop function if exists wait_for_waiter cascade");
    await site.db.raw("drop sequence if exists pages_told");
  });
  const transaction = async (tell: (transaction: Knex.Transaction) => Promise<unknown>) => {
    const result = await site.db.transaction(tell);
    if (pages >= number) await done;
    return result;
  };
  const db = new Proxy(site.db, {
    get: (target, key) => (key === "transaction" ? transaction : Reflect.get(target, key)),
  });
  return { done, db };
}

const notificationsOf = (user = userId) => site.db("notifications").where({ user_id: user });

describe("a favorite that is being added while its discount begins", () => {
  it("before the start, and committed while users are being notified, is waited for", async () => {
    await addComing();
    const toggle = await openTransaction(site.db);
    await addFavorite(toggle);
    await begin();
    const telling = notifyOfDiscount(site.db, "sale");
    await delay(300);
    await toggle.commit();
    expect(await telling).toBe(1);
    expect(await notificationsOf()).toHaveLength(1);
  });

  it("in a transaction that began before the start, after all were notified, notifies by itself", async () => {
    await addComing();
    const toggle = await openTransaction(site.db);
    await toggle.raw("select now()");
    await begin();
    expect(await notifyOfDiscount(site.db, "sale")).toBe(0);
    await addFavorite(toggle);
    await toggle.commit();
    expect(await notificationsOf()).toHaveLength(1);
  });

  it("for longer than anybody should wait makes telling fail, and be tried again", async () => {
    await addComing();
    const toggle = await openTransaction(site.db);
    await addFavorite(toggle);
    await begin();
    await expect(notifyOfDiscount(site.db, "sale")).rejects.toThrow("lock timeout");
    expect(await site.db("discounts").where({ id: "sale" }).whereNull("told_at")).toHaveLength(1);
    await toggle.commit();
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("is held up for a moment only", async () => {
    await addDiscount(site.db, "sale", item);
    const toggle = await openTransaction(site.db);
    await addFavorite(toggle);
    const telling = notifyOfDiscount(site.db, "sale").catch(() => undefined);
    await delay(100);
    const other = await site.createUser();
    // The telling waits for the first favorite, which is open: behind it this one would wait for ever.
    expect(await toggleFavorite(site.db, other.id, "donate", item)).toBe(true);
    await toggle.commit();
    await telling;
    expect(await notificationsOf(other.id)).toHaveLength(1);
  });

  it("keeps its discount from counting as told where the item was nobody's favorite before", async () => {
    await addComing();
    const toggle = await openTransaction(site.db);
    await addFavorite(toggle);
    await begin();
    expect(await markWithoutFavorites(site.db)).toBe(0);
    await toggle.commit();
    expect(await markWithoutFavorites(site.db)).toBe(0);
    expect(await notifyAll(site.db)).toBe(1);
  });

  it("is notified once by whichever comes first", async () => {
    for (let round = 0; round < 15; round += 1) {
      await site.db("discounts").delete();
      await site.db("discount_runs").delete();
      await site.db("notifications").delete();
      await site.db("donate_favorites").delete();
      const starts_at = site.db.raw("clock_timestamp() + interval '20 milliseconds'");
      await addDiscount(site.db, "sale", item, { starts_at });
      const begun = () =>
        site.db("discounts").where({ id: "sale" }).whereRaw("starts_at <= clock_timestamp()").first();
      const users = await Promise.all(Array.from({ length: 6 }, () => site.createUser()));
      const toggles = users.map(async ({ id }, place) => {
        await delay(place * 7);
        return toggleFavorite(site.db, id, "donate", item);
      });
      const telling = expect
        .poll(begun, { interval: 10 })
        .toBeDefined()
        .then(() => notifyOfDiscount(site.db, "sale"));
      await Promise.all([...toggles, telling]);
      // A late favorite left that to a job.
      for (const _job of await queuedJobs(site.db)) await notifyOfDiscount(site.db, "sale");
      await site.db.raw("delete from graphile_worker._private_jobs");
      const told = await site.db("notifications").orderBy("user_id").pluck("user_id");
      expect(told, `round ${round}`).toEqual(users.map(({ id }) => id).sort((a, b) => a - b));
    }
  });
});

describe("a discount that changes while users are being notified", () => {
  beforeEach(async () => {
    expect(await toggleFavorite(site.db, userId, "donate", item)).toBe(true);
    await addDiscount(site.db, "sale", item);
  });

  it.each<[string, (edit: Knex) => PromiseLike<unknown>, string]>([
    ["terms", (edit) => edit("discounts").where({ id: "sale" }).update({ percent: "50" }), "50.00"],
    ["item's price", (edit) => edit("donate_items").where({ id: item }).update({ price: "10.00" }), "7.50"],
  ])("in its %s is waited for, so that nobody gets the old price", async (_what, change, new_price) => {
    const edit = await openTransaction(site.db);
    await change(edit);
    const telling = notifyOfDiscount(site.db, "sale");
    await delay(200);
    await edit.commit();
    expect(await telling).toBe(1);
    expect(await notificationsOf()).toMatchObject([{ new_price }]);
  });

  it("after the last page does not count as told, because it may be to others by then", async () => {
    const putOff = { starts_at: hours(site.db, 1) };
    const edit = await onPage(2, () => site.db("discounts").where({ id: "sale" }).update(putOff));
    expect(await notifyOfDiscount(edit.db, "sale", { page: 1 })).toBe(1);
    await edit.done;
    // Before its start, adding the favorite notifies nobody.
    const other = await site.createUser();
    expect(await toggleFavorite(site.db, other.id, "donate", item)).toBe(true);
    expect(await notificationsOf(other.id)).toEqual([]);
    await begin();
    expect(await notifyAll(site.db)).toBe(1);
    expect(await notificationsOf(other.id)).toHaveLength(1);
  });

  it("after the last page by its item's price does not count as told either", async () => {
    const edit = await onPage(2, () => site.db("donate_items").where({ id: item }).update({ price: null }));
    expect(await notifyOfDiscount(edit.db, "sale", { page: 1 })).toBe(1);
    await edit.done;
    expect(await site.db("discounts").whereNull("told_at").pluck("id")).toEqual(["sale"]);
  });

  it("after the last page, for longer than anybody should wait, holds up no other telling", async () => {
    const slow = await openTransaction(site.db);
    const edit = await onPage(2, () =>
      slow("discounts").where({ id: "sale" }).update({ title: "A new text" }),
    );
    await expect(notifyOfDiscount(edit.db, "sale", { page: 1 })).rejects.toThrow("lock timeout");
    await edit.done;
    await slow.commit();
    expect(await notifyAll(site.db)).toBe(0);
    expect(await site.db("discounts").whereNull("told_at")).toEqual([]);
  });

  it("and withdrawn between two pages notifies nobody else", async () => {
    for (let count = 0; count < 3; count += 1) {
      const { id } = await site.createUser();
      await site.db("donate_favorites").insert({ user_id: id, item_key: item });
    }
    const withdrawal = await onPage(1, () => site.db("discounts").where({ id: "sale" }).delete());
    const told = await notifyOfDiscount(withdrawal.db, "sale", { page: 1 });
    await withdrawal.done;
    expect(told).toBe(1);
    expect(await site.db("notifications").where({ item_key: item })).toHaveLength(1);
  });

  it("is notified by a job if it is added meanwhile, and the toggle does not wait", async () => {
    const edit = await openTransaction(site.db);
    await edit("discounts").where({ id: "sale" }).update({ title: "A new text" });
    const other = await site.createUser();
    // The edit is open: to wait for it would be for ever.
    expect(await toggleFavorite(site.db, other.id, "donate", item)).toBe(true);
    await edit.commit();
    expect(await notificationsOf(other.id)).toEqual([]);
    expect(await queuedJobs(site.db)).toMatchObject([{ key: "tell:sale" }]);
    expect(await notifyOfDiscount(site.db, "sale")).toBe(2);
  });
});

describe("telling that is interrupted", () => {
  it("goes on where it was, and tells nobody twice", async () => {
    const users = [];
    for (let count = 0; count < 5; count += 1) {
      const { id } = await site.createUser();
      await toggleFavorite(site.db, id, "donate", item);
      users.push(id);
    }
    await addDiscount(site.db, "sale", item, { ends_at: hours(site.db, 1) });
    const interruption = new AbortController();
    const interrupt = ({ sql }: { sql: string }) => {
      if (sql.includes("insert into notifications")) interruption.abort();
    };
    site.db.on("query", interrupt);
    const telling = notifyOfDiscount(site.db, "sale", { page: 2, signal: interruption.signal });
    await expect(telling).rejects.toThrow("aborted");
    site.db.removeListener("query", interrupt);
    expect(await site.db("notifications").where({ item_key: item })).toHaveLength(2);
    expect(await notifyAll(site.db)).toBe(3);
    for (const id of users) expect(await notificationsOf(id)).toHaveLength(1);
  });
});

describe("a user who is removed while others are being notified", () => {
  it("does not keep others from being notified", async () => {
    await toggleFavorite(site.db, userId, "donate", item);
    const other = await site.createUser();
    await toggleFavorite(site.db, other.id, "donate", item);
    await addDiscount(site.db, "sale", item);
    const removal = await openTransaction(site.db);
    await removal("users").where({ id: userId }).delete();
    expect(await notifyOfDiscount(site.db, "sale")).toBe(1);
    expect(await notificationsOf(other.id)).toHaveLength(1);
    // They may stay after all.
    await removal.rollback();
    expect(await notifyAll(site.db)).toBe(1);
    expect(await notificationsOf()).toHaveLength(1);
  });
});

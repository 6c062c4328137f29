import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { notifyOfDiscount, notifyOfNewFavorite } from "../../src/notifications/notify.ts";
import { useTestApp } from "../helpers/app.ts";
import { openTransaction } from "../helpers/database.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { beginAnew, notifyAll } from "../helpers/notify.ts";
import { addDiscount, hours } from "../helpers/things.ts";

const site = useTestApp();

let item = "";
let userId = 0;

beforeEach(async () => {
  ({ userId, item } = await beginAnew(site));
});

/** A discount that begins in so many milliseconds; resolves to a wait until it has begun. */
async function addComing(milliseconds: number): Promise<() => Promise<void>> {
  const starts_at = site.db.raw("clock_timestamp() + make_interval(secs => ?)", [milliseconds / 1000]);
  await addDiscount(site.db, "sale", item, { starts_at });
  return async () => {
    const begun = () => site.db("discounts").where({ id: "sale" }).whereRaw("starts_at <= clock_timestamp()");
    await expect.poll(async () => (await begun()).length, { interval: 10 }).toBe(1);
  };
}

/** What a toggle does, up to its commit. */
async function addFavorite(transaction: Knex.Transaction): Promise<void> {
  await transaction("donate_favorites").insert({ user_id: userId, item_key: item });
  await notifyOfNewFavorite(transaction, userId, item);
}

const notificationsOf = (user = userId) => site.db("notifications").where({ user_id: user });

describe("a favorite that is being added while its discount begins", () => {
  it("before the start, and committed while users are being notified, is waited for", async () => {
    const begun = await addComing(300);
    const toggle = await openTransaction(site.db);
    await addFavorite(toggle);
    await begun();
    const telling = notifyOfDiscount(site.db, "sale");
    await delay(300);
    await toggle.commit();
    expect(await telling).toBe(1);
    expect(await notificationsOf()).toHaveLength(1);
  });

  it("is notified once by whichever comes first", async () => {
    for (let round = 0; round < 15; round += 1) {
      await site.db("discounts").delete();
      await site.db("discount_runs").delete();
      await site.db("notifications").delete();
      await site.db("donate_favorites").delete();
      const begun = await addComing(20);
      const users = await Promise.all(Array.from({ length: 6 }, () => site.createUser()));
      const toggles = users.map(async ({ id }, place) => {
        await delay(place * 7);
        return toggleFavorite(site.db, id, "donate", item);
      });
      const telling = begun().then(() => notifyOfDiscount(site.db, "sale"));
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

  it("is waited for, so that nobody gets the old price", async () => {
    const edit = await openTransaction(site.db);
    await edit("discounts").where({ id: "sale" }).update({ percent: "50" });
    const telling = notifyOfDiscount(site.db, "sale");
    await delay(200);
    await edit.commit();
    expect(await telling).toBe(1);
    expect(await notificationsOf()).toMatchObject([{ new_price: "50.00" }]);
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

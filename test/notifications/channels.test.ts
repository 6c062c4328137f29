import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  BusyError,
  RecipientGoneError,
  RefusedForGoodError,
} from "../../src/notifications/channels/channel.ts";
import { CHANNELS, isMailed, SENDING, taskOf } from "../../src/notifications/channels.ts";
import { afterFailure, DELIVERY_ATTEMPTS } from "../../src/notifications/delivery-jobs.ts";
import { nextDigestAt } from "../../src/notifications/email/digest-times.ts";
import { maySend, type WaitingDelivery } from "../../src/notifications/may-send.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { beginAnew, notifyAll } from "../helpers/notify.ts";
import { addDiscount } from "../helpers/things.ts";

const site = useTestApp();

describe("the list of channels", () => {
  it("names the jobs as those that wait in the queues of older versions", () => {
    expect(SENDING.map(({ name }) => taskOf(name))).toEqual([
      "deliver_by_email",
      "deliver_digest",
      "deliver_by_push",
    ]);
  });

  it("has a template for each part of the page of settings", () => {
    const parts = CHANNELS.filter(({ settings }) => settings).map(({ name }) => name);
    expect(parts).toEqual(["email", "push", "feed"]);
    for (const name of parts) {
      const file = path.join(import.meta.dirname, `../../views/notifications/settings-${name}.ejs`);
      expect(existsSync(file), name).toBe(true);
    }
  });
});

describe.each(SENDING.map(({ name }) => name))("what waits for %s", (channel) => {
  const waiting: WaitingDelivery = {
    id: 1,
    channel,
    attempts: 0,
    notificationId: 2,
    user: { id: 3, name: "ann", email: "ann@example.test", language: null, timeZone: null },
    subscription: null,
    wanted: true,
    unreachable: false,
    ended: null,
    alert: null,
    offer: {
      itemKey: "vip",
      itemName: "VIP",
      itemNames: {},
      picture: null,
      image: null,
      title: null,
      titles: {},
      itemPrice: "100.00",
      toldOldPrice: "100.00",
      toldPrice: "75.00",
      low: "ever",
      wish: null,
      currency: "EUR",
      percent: "25",
      price: null,
      endsAt: null,
    },
    startsAt: new Date(),
    started: true,
  };

  it("may be sent at the price of now", () => {
    expect(maySend(waiting)).toMatchObject({ channel, notification: { id: 2, newPrice: "75.00" } });
  });

  it("marks the price as a low only for the announced price", () => {
    expect(maySend(waiting)).toMatchObject({ notification: { low: "ever" } });
    const offer = waiting.offer && { ...waiting.offer, percent: "20" };
    expect(maySend({ ...waiting, offer })).toMatchObject({ notification: { newPrice: "80.00", low: null } });
  });

  it("is of the regular price where there is no discount", () => {
    const offer = waiting.offer && { ...waiting.offer, percent: null, itemPrice: "70.00", wish: "70.00" };
    const notification = { oldPrice: "100.00", newPrice: "70.00", isRegular: true };
    expect(maySend({ ...waiting, offer })).toMatchObject({ notification });
  });

  it.each<[string, Partial<WaitingDelivery>]>([
    ["the discount is over", { ended: "the discount is over" }],
    ["the discount was withdrawn", { offer: null }],
    [
      "the discount does not lower the price any more",
      { offer: waiting.offer && { ...waiting.offer, percent: null, price: "200.00" } },
    ],
    ["the price is above the wish again", { offer: waiting.offer && { ...waiting.offer, wish: "74.99" } }],
    ["the user switched this channel off", { wanted: false }],
    ["the user has no confirmed address any more", { unreachable: true }],
  ])("is dropped where %s", (reason, change) => {
    expect(maySend({ ...waiting, ...change })).toBe(reason);
  });
});

describe("after an attempt that failed", () => {
  it.each<[string, unknown, number, string | number]>([
    ["the receiver is gone", new RecipientGoneError("410"), 1, "dropped"],
    ["the other side refused for good", new RefusedForGoodError("550"), 1, "dead"],
    ["it was the last one", new Error("451"), DELIVERY_ATTEMPTS, "dead"],
    ["it may pass", new Error("451"), 3, Math.exp(3) * 1000],
    ["the other side is busy", new BusyError("429", 600), 3, 600_000],
  ])("one rule holds for all channels: %s", (_what, error, attempts, expected) => {
    expect(afterFailure(error, attempts)).toBe(expected);
  });
});

describe("a daily mail of who never chose an hour", () => {
  it("is sent at 18, whichever other setting was stored", async () => {
    const { userId, item } = await beginAnew(site);
    await site.db("users").where({ id: userId }).update({ confirmed_email: "ann@example.test" });
    await site.db("notification_settings").insert({ user_id: userId, email: "daily" });
    await site.db("donate_favorites").insert({ user_id: userId, item_key: item });
    await addDiscount(site.db, "sale", item);
    const now = new Date();
    await notifyAll(site.db);
    const [job] = await queuedJobs(site.db);
    expect(job?.key).toBe(`digest:${userId}`);
    expect(job?.run_at).toEqual(nextDigestAt(18, null, now));
    expect(isMailed("digest")).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { isMailed } from "../../src/notifications/channels.ts";
import { nextDigestAt } from "../../src/notifications/email/digest-times.ts";
import { maySend, type WaitingDelivery } from "../../src/notifications/may-send.ts";
import {
  type Attempted,
  afterFailure,
  BusyError,
  DELIVERY_ATTEMPTS,
  RecipientGoneError,
  RefusedForGoodError,
  secondsToWait,
  type Verdict,
} from "../../src/notifications/retries.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { beginAnew, notifyAll } from "../helpers/notify.ts";
import { addDiscount } from "../helpers/things.ts";

const site = useTestApp();

describe("what waits", () => {
  const waiting: WaitingDelivery = {
    id: 1,
    channel: "email",
    attempts: 0,
    createdAt: new Date(),
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

  it("is dropped where the price is above the wish again", () => {
    const offer = waiting.offer && { ...waiting.offer, wish: "74.99" };
    expect(maySend({ ...waiting, offer })).toBe("the price is above the wish again");
  });
});

describe("after an attempt that failed", () => {
  const late = new Date(Date.now() - 4 * 86_400_000);
  const dead: Verdict = { state: "dead", retryS: 0, holdS: 0, counts: true };

  it.each<[string, unknown, Partial<Attempted>, Verdict]>([
    ["the receiver is gone", new RecipientGoneError("410"), {}, { ...dead, state: "dropped" }],
    ["the other side refused for good", new RefusedForGoodError("550"), { failures: 9 }, dead],
    ["it was the last one", new Error("451"), { attempts: DELIVERY_ATTEMPTS - 1 }, dead],
    [
      "it may pass",
      new Error("451"),
      { attempts: 2 },
      { state: "waiting", retryS: Math.exp(3), holdS: 0, counts: true },
    ],
    [
      "the other side is busy",
      new BusyError("429", 600),
      { attempts: 2 },
      { state: "waiting", retryS: 600, holdS: 0, counts: true },
    ],
    [
      "it wants a short pause",
      new BusyError("429", 1),
      { attempts: 2 },
      { state: "waiting", retryS: Math.exp(3), holdS: 0, counts: true },
    ],
    [
      "a pause that is no failure",
      new BusyError("429", 1, { counts: false }),
      { attempts: 15, failures: 9 },
      { state: "waiting", retryS: 1, holdS: 1, counts: false },
    ],
    [
      "pauses for days",
      new BusyError("429", 9_999, { counts: false }),
      { createdAt: late },
      { state: "dead", retryS: 0, holdS: 3_600, counts: false },
    ],
    [
      "the receiver fails in a row",
      new Error("500"),
      { failures: 6 },
      { state: "waiting", retryS: Math.exp(1), holdS: 8, counts: true },
    ],
  ])("one rule holds for all channels: %s", (_what, error, attempted, expected) => {
    expect(afterFailure(error, { attempts: 0, createdAt: new Date(), ...attempted })).toEqual(expected);
  });

  it.each<[string | undefined, number | undefined]>([
    ["120", 120],
    ["0.5", 0.5],
    ["-5", undefined],
    ["soon", undefined],
    [undefined, undefined],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("Retry-After: %s", (header, seconds) => {
    expect(secondsToWait(header)).toBe(seconds);
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

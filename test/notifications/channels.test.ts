import { describe, expect, it } from "vitest";
import { SENDING, taskOf } from "../../src/notifications/channels.ts";
import { maySend, type WaitingDelivery } from "../../src/notifications/may-send.ts";
import {
  type Attempted,
  afterFailure,
  BusyError,
  secondsToWait,
  type Verdict,
} from "../../src/notifications/retries.ts";

describe("the list of channels", () => {
  it("names the jobs as those that wait in the queues of older versions", () => {
    expect(SENDING.map(({ name }) => taskOf(name))).toEqual([
      "deliver_by_email",
      "deliver_digest",
      "deliver_by_push",
      "deliver_by_webhook",
    ]);
  });
});

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

  const again: Verdict = { state: "waiting", retryS: 0, holdS: 0, counts: true };
  const held: Verdict = { ...again, counts: false };
  const pause = (seconds: number) => new BusyError("429", seconds, { counts: false });

  it.each<[string, Partial<Attempted>, unknown, Verdict]>([
    ["it may pass", { attempts: 2 }, new Error("451"), { ...again, retryS: Math.exp(3) }],
    ["the other side is busy", { attempts: 2 }, new BusyError("429", 600), { ...again, retryS: 600 }],
    ["it wants a short pause", { attempts: 2 }, new BusyError("429", 1), { ...again, retryS: Math.exp(3) }],
    ["a pause is no failure", { attempts: 15, failures: 9 }, pause(1), { ...held, retryS: 1, holdS: 1 }],
    ["pauses last for days", { createdAt: late }, pause(9_999), { ...held, state: "dead", holdS: 3_600 }],
    ["it fails in a row", { failures: 6 }, new Error("500"), { ...again, retryS: Math.exp(1), holdS: 8 }],
  ])("decides alike for all channels where %s", (_what, attempted, error, expected) => {
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

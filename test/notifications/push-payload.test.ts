import { describe, expect, it } from "vitest";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";
import { pushPayload } from "../../src/notifications/push/sender.ts";
import { dueNotification } from "../helpers/notifications.ts";

const NOTIFICATION = dueNotification({
  itemKey: "vip",
  itemNames: { ru: "ВИП Золотой" },
  oldPrice: "1499.00",
  newPrice: "999.50",
  currency: "RUB",
  endsAt: new Date("2026-11-22T11:05:00Z"),
});

function payload(
  notification: Partial<DueDelivery["notification"]>,
  user: Partial<DueDelivery["user"]> = {},
) {
  const somebody = { id: 1, name: "reader", email: null, language: null, timeZone: null, ...user };
  const due = { id: 1, channel: "push", subscription: null } as const;
  const message = JSON.parse(
    pushPayload({ ...due, user: somebody, notification: { ...NOTIFICATION, ...notification } }),
  );
  // Formats put spaces of several kinds before currencies and zones.
  return { ...message, body: message.body.replace(/[^\S\n]/g, " ") };
}

describe("the message of a notification", () => {
  it("is in the user's language and time zone", () => {
    const reader = { language: "ru", timeZone: "Europe/Moscow" };
    expect(payload({}, reader)).toEqual({
      title: "ВИП Золотой",
      body: "999,50 RUB вместо 1 499,00 RUB\nДо 22 нояб. 2026 г., 14:05 UTC+3",
      lang: "ru",
      tag: "notification-7",
      url: "/notifications/7",
      item: "/donate/vip",
    });
  });

  it("is in English and UTC if neither is set or known", () => {
    const expected = {
      title: "VIP Gold",
      body: "999.50 RUB, down from 1,499.00 RUB\nUntil 22 Nov 2026, 11:05 UTC",
      lang: "en",
    };
    expect(payload({})).toMatchObject(expected);
    expect(payload({}, { language: "xx", timeZone: "Mars/Base" })).toMatchObject(expected);
  });

  it("has the pictures of an item that the site stores, and no others", () => {
    const name = "0f".repeat(16);
    expect(payload({ picture: `${name}_640x320` })).toMatchObject({
      icon: `/pictures/${name}-128.webp`,
      image: `/pictures/${name}-640.webp`,
    });
    expect(payload({ image: "https://pictures.example/a.png" })).not.toHaveProperty("image");
  });

  it("says as much as is known", () => {
    const { body } = payload({ oldPrice: null, endsAt: null, title: "Sale" });
    expect(body).toBe("Now 999.50 RUB\nNo end date\nSale");
  });

  it("keeps names as they are, and cuts those that no screen shows", () => {
    expect(payload({ itemName: '<b>"Tom & Jerry"</b>' }).title).toBe('<b>"Tom & Jerry"</b>');
    const { title } = payload({ itemName: "é".repeat(5_000) });
    expect(title).toMatch(/^é{190,}…$/);
    expect(payload({ itemName: "a".repeat(200) }).title).toBe("a".repeat(200));
  });
});

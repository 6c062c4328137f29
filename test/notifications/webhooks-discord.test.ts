import { describe, expect, it } from "vitest";
import { discordPayload } from "../../src/notifications/webhooks/discord.ts";
import type { ToldDiscount, ToldEntry, WebhookEvent } from "../../src/notifications/webhooks/events.ts";
import { WEBHOOK_SITE } from "../helpers/webhooks.ts";

const AT = new Date("2026-11-25T12:00:00Z");
const PICTURE = `${"ab".repeat(16)}_640x480`;

function discount(more: Partial<ToldDiscount> = {}, item = {}): ToldDiscount {
  return {
    ...{ id: "sale", run: 1, title: "Winter sale", titles: { ru: "Зимняя распродажа" } },
    ...{ oldPrice: "100.00", newPrice: "75.00", currency: "EUR" },
    ...{ startsAt: "2026-11-25T11:00:00.000Z", endsAt: "2026-12-01T00:00:00.000Z" },
    item: { id: "vip", name: "VIP", names: { ru: "ВИП" }, picture: PICTURE, image: null, ...item },
    ...more,
  };
}

const started = (count: number, discounts: ToldDiscount[]): WebhookEvent => ({
  type: "discount.started",
  data: { count, discounts },
});

interface Embed {
  readonly title: string;
  readonly url: string;
  readonly description: string;
  readonly color: number;
  readonly thumbnail?: { readonly url: string };
  readonly timestamp: string;
  readonly footer: { readonly text: string };
}

/** The only card of a message, which mentions nobody. */
function cardOf(event: WebhookEvent, language = "en"): Embed {
  const message = JSON.parse(discordPayload(event, AT, language, WEBHOOK_SITE));
  expect(message.allowed_mentions).toEqual({ parse: [] });
  expect(message).not.toHaveProperty("content");
  expect(message.embeds).toHaveLength(1);
  return message.embeds[0];
}

/** What counts towards Discord's limit of 6000. */
const lengthOf = ({ title, description, footer }: Embed) => [...title, ...description, ...footer.text].length;

describe("a card about one discount", () => {
  it("has the item's name, prices, end, title and picture, and a link", () => {
    expect(cardOf(started(1, [discount()]))).toEqual({
      title: "VIP",
      url: "https://almanac.test/en/donate/vip",
      description: "**75.00 EUR** ~~100.00 EUR~~ −25 %\nWinter sale\nUntil <t:1796083200:f>",
      color: 0xd9480f,
      thumbnail: { url: `https://almanac.test/pictures/${"ab".repeat(16)}-640.jpeg` },
      timestamp: AT.toISOString(),
      footer: { text: "Almanac" },
    });
  });

  it("is in the webhook's language, with its links", () => {
    const card = cardOf(started(1, [discount()]), "ru");
    expect(card.title).toBe("ВИП");
    expect(card.url).toBe("https://almanac.test/ru/donate/vip");
    expect(card.description).toContain("75,00 EUR");
    expect(card.description).toContain("Зимняя распродажа");
    expect(card.description).toContain("До <t:1796083200:f>");
  });

  it("shows names as they are written", () => {
    const name = "**@everyone** [x](https://evil.example) <@123> `code` ~~no~~ #rules";
    const card = cardOf(started(1, [discount({ title: name, titles: {} }, { name, names: {} })]));
    for (const text of [card.title, card.description.split("\n")[1] ?? ""]) {
      expect(text).toContain("\\*\\*\\@everyone\\*\\* \\[x\\]\\(https\\://evil.example\\) \\<\\@123\\>");
    }
  });
});

describe("a card about many", () => {
  it("lists the first with links and counts the others", () => {
    const many = Array.from({ length: 10 }, (_, n) =>
      discount({}, { id: `vip-${n}`, name: `VIP ${n}`, names: {} }),
    );
    const { title, description } = cardOf(started(1_234, many));
    expect(title).toBe("1,234 discounts started");
    const lines = description.split("\n");
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe(
      "- [VIP 0](https://almanac.test/en/donate/vip-0): **75.00 EUR** ~~100.00 EUR~~ −25 %",
    );
    expect(lines[10]).toBe("- and 1,224 more");
  });

  it("keeps to the limits of Discord, however long names and ids are", () => {
    const long = Array.from({ length: 10 }, (_, n) =>
      discount({}, { id: "ы(".repeat(99) + n, name: "*".repeat(2_000), names: {} }),
    );
    for (const event of [started(10, long), started(1, long.slice(0, 1))]) {
      const card = cardOf(event);
      expect([...card.title].length).toBeLessThanOrEqual(256);
      expect(card.description.length).toBeLessThanOrEqual(4_096);
      expect(lengthOf(card)).toBeLessThanOrEqual(6_000);
    }
    // A parenthesis would end a link.
    expect(cardOf(started(10, long)).description).not.toMatch(/donate\/[^)]*\(/);
  });

  it("is of one colour for what is new and of another for what has changed", () => {
    const entry: ToldEntry = {
      id: "a",
      name: "Sword",
      names: {},
      picture: null,
      image: null,
      category: null,
      revision: 1,
    };
    const data = { kind: "items", count: 3, entries: [entry] } as const;
    const added = cardOf({ type: "entries.added", data });
    const changed = cardOf({ type: "entries.changed", data }, "ru");
    expect(added).toMatchObject({ title: "New in Items: 3", url: "https://almanac.test/en/items" });
    expect(added.description).toBe("- [Sword](https://almanac.test/en/items/a)\n- and 2 more");
    expect(changed.title).toBe("Предметы, изменено: 3");
    expect(added.color).not.toBe(changed.color);
  });

  it("names the server that went down and the one that is back", () => {
    const servers = [{ id: "one", name: "One_1", at: AT.toISOString() }];
    const down = cardOf({ type: "server.down", data: { count: 1, servers } });
    const up = cardOf({ type: "server.up", data: { count: 12, servers } }, "ru");
    expect(down).toMatchObject({
      title: "One\\_1 is offline",
      url: "https://almanac.test/en/servers/one",
      color: 0xc92a2a,
    });
    expect(up.title).toBe("12 серверов снова онлайн");
    expect(up.description).toContain("и ещё 11");
  });

  it("is a plain one for a test", () => {
    expect(cardOf({ type: "test", data: {} }).title).toBe("It works! News from Almanac will appear here.");
  });
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";
import { addSubscription, listSubscriptions, vapidKeys } from "../../src/notifications/push/queries.ts";
import { createPushSender } from "../../src/notifications/push/sender.ts";
import { RecipientGoneError, RefusedForGoodError } from "../../src/notifications/retries.ts";
import { INTERNET } from "../../src/web/egress/policy.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { dueNotification } from "../helpers/notifications.ts";
import { accept, type PushBrowser, type PushService, startPushService } from "../helpers/peers/push.ts";

const SITE = { name: "Almanac", baseUrl: "https://almanac.test" };
const HOUR_MS = 3_600_000;

const database = useTestDatabase();
let service: PushService;
let userId = 0;
let browser: PushBrowser;
let due: DueDelivery;

beforeAll(async () => {
  service = await startPushService();
  userId = (await createUser(database.db, { name: "reader", password: "a password for tests" })) ?? 0;
});

afterAll(() => service.close());

/** A browser that has just subscribed, and a notification that is due to it. */
beforeEach(async () => {
  service.received.length = 0;
  service.mood = accept;
  await database.db("push_subscriptions").delete();
  browser = service.subscribe((await vapidKeys(database.db)).publicKey);
  due = await dueTo(browser);
});

async function dueTo({ subscription }: PushBrowser): Promise<DueDelivery> {
  const { endpoint, keys } = subscription;
  await addSubscription(database.db, userId, { endpoint, ...keys, browser: null });
  const stored = (await listSubscriptions(database.db, userId)).find((known) => known.endpoint === endpoint);
  return {
    id: 1,
    channel: "push",
    user: { id: userId, name: "reader", email: null, language: null, timeZone: null },
    subscription: { id: stored?.id ?? 0, endpoint, ...keys },
    notification: dueNotification({ title: "Autumn sale", endsAt: new Date(Date.now() + HOUR_MS) }),
  };
}

function sender(options: Partial<Parameters<typeof createPushSender>[0]> = {}) {
  const { db } = database;
  const { host, agent } = service;
  return createPushSender({ db, site: SITE, pushServices: [host], egress: LOOPBACK, agent, ...options });
}

async function isSubscribed(): Promise<boolean> {
  return (await listSubscriptions(database.db, userId)).length > 0;
}

describe("a notification by Web Push", () => {
  it("reaches its browser alone, signed with the site's key, and stores when", async () => {
    await sender()(due);
    expect(service.received).toHaveLength(1);
    const [{ data, claims, body, ...got } = expect.unreachable()] = service.received;
    expect(data).toMatchObject({
      title: "VIP Gold",
      body: expect.stringMatching(/^66\.70\sEUR, down from 100\.00\sEUR\nUntil .*\nAutumn sale$/),
      lang: "en",
      tag: "notification-7",
      url: "/notifications/7",
      item: "/donate/vip%2Fgold",
    });
    expect(claims).toMatchObject({ aud: `https://${service.host}`, sub: "https://almanac.test" });
    const stranger = service.subscribe((await vapidKeys(database.db)).publicKey);
    expect(got.browser).toBe(browser);
    expect(() => stranger.read(body)).toThrow();
    const [stored] = await listSubscriptions(database.db, userId);
    expect(stored?.last_sent_at).toBeInstanceOf(Date);
  });

  it("is kept by the service until the discount's end, four weeks at most", async () => {
    const send = sender();
    const ttlOf = async (endsAt: Date | null) => {
      await send({ ...due, notification: { ...due.notification, endsAt } });
      return Number(service.received.at(-1)?.headers.ttl);
    };
    expect(await ttlOf(new Date(Date.now() + HOUR_MS))).toBeGreaterThan(3595);
    expect(await ttlOf(new Date(Date.now() + HOUR_MS))).toBeLessThanOrEqual(3600);
    expect(await ttlOf(new Date(Date.now() + 90 * 24 * HOUR_MS))).toBe(28 * 86_400);
    expect(await ttlOf(null)).toBe(28 * 86_400);
    expect(await ttlOf(new Date(Date.now() - HOUR_MS))).toBe(0);
  });

  it("takes the place of an earlier message about the same notification, and of no other", async () => {
    const send = sender();
    await send(due);
    await send(due);
    await send({ ...due, notification: { ...due.notification, id: 78 } });
    expect(service.received.map(({ headers }) => headers.topic)).toEqual([
      "notification-7",
      "notification-7",
      "notification-78",
    ]);
    expect(service.received[0]?.headers.urgency).toBe("normal");
  });

  it("is not sent again where its delivery cannot be stored", async () => {
    const broken = openPool(database.url);
    await vapidKeys(broken);
    const send = sender({ db: broken });
    await send(due);
    await broken.destroy();
    await expect(send(due)).resolves.toBeUndefined();
    expect(service.received).toHaveLength(2);
  });

  it("names a mailbox to the service where the site has no https address", async () => {
    await sender({ site: { ...SITE, baseUrl: "http://localhost:3000" } })(due);
    expect(service.received[0]?.claims.sub).toBe("mailto:postmaster@localhost");
  });

  it.each(["vip", "🚗".repeat(200)])("is small enough for every service with the key %s", async (itemKey) => {
    const long = "👨‍👩‍👧‍👦".repeat(2_000);
    const itemNames = { ru: long };
    const user = { ...due.user, language: "ru" };
    await sender()({ ...due, user, notification: { ...due.notification, itemKey, itemNames, title: long } });
    const [{ data, body } = expect.unreachable()] = service.received;
    expect(body.length).toBeLessThanOrEqual(4096);
    expect(data.title).toMatch(/^(👨‍👩‍👧‍👦)+…$/u);
    expect(data.url).toBe("/notifications/7");
  });
});

describe("a push service's answer", () => {
  it.each([404, 410])("of %s ends that subscription only", async (status) => {
    const other = await dueTo(service.subscribe((await vapidKeys(database.db)).publicKey));
    service.mood = (res) => void res.writeHead(status).end();
    await expect(sender()(due)).rejects.toBeInstanceOf(RecipientGoneError);
    const left = await listSubscriptions(database.db, userId);
    expect(left.map(({ endpoint }) => endpoint)).toEqual([other.subscription?.endpoint]);
  });

  it("about an endpoint that the browser has left for another one takes nothing from the new one", async () => {
    service.mood = (res) => void res.writeHead(410).end();
    const endpoint = `https://${service.host}/push/renewed`;
    await database.db("push_subscriptions").update({ endpoint });
    await expect(sender()(due)).rejects.toBeInstanceOf(RecipientGoneError);
    expect(await isSubscribed()).toBe(true);
  });

  it.each([400, 401, 403, 406, 408, 413, 425, 429, 500, 502, 503])(
    "of %s is no reason to give up",
    async (status) => {
      service.mood = (res) => void res.writeHead(status, { "Retry-After": "7" }).end("busy");
      const failure = await sender()(due).catch((error) => error);
      expect(failure).not.toBeInstanceOf(RefusedForGoodError);
      expect(failure).not.toBeInstanceOf(RecipientGoneError);
      expect(failure.message).toBe(
        `The push service ${service.host} answered ${status}, to try again after 7: busy`,
      );
      expect(await isSubscribed()).toBe(true);
      service.mood = accept;
      await sender()(due);
      expect(service.received).toHaveLength(2);
    },
  );

  it("reports the pause that it requests, in seconds", async () => {
    service.mood = (res) => void res.writeHead(503, { "Retry-After": "90" }).end();
    expect(await sender()(due).catch((error) => error)).toMatchObject({ name: "BusyError", waitS: 90 });
    service.mood = (res) => void res.writeHead(429, { "Retry-After": "soon" }).end();
    const failure = await sender()(due).catch((error) => error);
    expect(failure).toMatchObject({ name: "Error", message: expect.stringContaining("answered 429") });
  });

  it.each([
    [401, "the token is not for this"],
    [403, "not the key of the subscription"],
    [406, "the channel is throttled"],
    [400, '{"reason":"VapidPkHashMismatch"}'],
  ])("of %s, %s, passes once the operator or the browser has done something", async (status, text) => {
    service.mood = (res) => void res.writeHead(status).end(text);
    const failure = await sender()(due).catch((error) => error);
    expect(failure).toMatchObject({ name: "Error", message: expect.stringContaining(text) });
    expect(await isSubscribed()).toBe(true);
  });

  it.each([400, 402, 413])(
    "of %s is for good, and the subscription stays for the operator",
    async (status) => {
      service.mood = (res) => void res.writeHead(status).end("no");
      await expect(sender()(due)).rejects.toBeInstanceOf(RefusedForGoodError);
      expect(await isSubscribed()).toBe(true);
    },
  );

  it("that leads elsewhere is not followed", async () => {
    let asked = 0;
    const inside = createServer((_req, res) => void res.end(String(++asked)));
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    const { port } = inside.address() as AddressInfo;
    service.mood = (res) => void res.writeHead(307, { Location: `http://127.0.0.1:${port}/` }).end();
    await expect(sender()(due)).rejects.toBeInstanceOf(RefusedForGoodError);
    await new Promise((resolve) => inside.close(resolve));
    expect(asked).toBe(0);
  });

  it("that never comes is waited for so long and no longer", async () => {
    service.mood = () => undefined;
    await expect(sender({ timeoutMs: 200 })(due)).rejects.toThrow(/did not answer within 0.2 s/);
    expect(await isSubscribed()).toBe(true);
  });

  it("that drips without an end is waited for so long and no longer", async () => {
    service.mood = (res) => {
      res.writeHead(503);
      const timer = setInterval(() => res.write("."), 20);
      res.on("close", () => clearInterval(timer));
    };
    await expect(sender({ timeoutMs: 300 })(due)).rejects.toThrow(/answered 503: \.+$/);
  });

  it("is not read past its beginning", async () => {
    let written = 0;
    service.mood = async (res) => {
      res.writeHead(500);
      while (!res.destroyed && written < 100_000_000) {
        written += 65_536;
        if (!res.write("x".repeat(65_536)))
          await Promise.race([delay(50), new Promise((ok) => res.once("drain", ok))]);
      }
    };
    const failure = await sender({ timeoutMs: 5_000 })(due).catch((error) => error);
    expect(failure.message.length).toBeLessThan(500);
    expect(written).toBeLessThan(50_000_000);
  });

  it("is not asked for where nobody answers, or where nobody vouches for who does", async () => {
    await expect(sender({ agent: undefined })(due)).rejects.toThrow(/broke off: self-signed certificate/);
    expect(service.received).toEqual([]);
    const gone = await startPushService();
    const left = await dueTo(gone.subscribe((await vapidKeys(database.db)).publicKey));
    await gone.close();
    const send = sender({ pushServices: [gone.host], agent: undefined });
    await expect(send(left)).rejects.toThrow(/broke off: connect ECONNREFUSED/);
  });
});

describe("a subscription that cannot be written to", () => {
  it("is skipped if its host is no longer allowed", async () => {
    const send = sender({ pushServices: ["fcm.googleapis.com"] });
    await expect(send(due)).rejects.toBeInstanceOf(RefusedForGoodError);
    expect(service.received).toEqual([]);
  });

  it("is not, where its host is not on the Internet and the operator has not opened its address", async () => {
    await expect(sender({ egress: INTERNET })(due)).rejects.toThrow(
      /127\.0\.0\.1:\d+ is not on the Internet/,
    );
    expect(service.received).toEqual([]);
  });

  it.each([
    ["p256dh", Buffer.alloc(65, 4).toString("base64url")],
    ["p256dh", "AAAA"],
    ["auth", "AAAA"],
  ])("is given up where its %s is %s", async (name, value) => {
    const subscription = due.subscription && { ...due.subscription, [name]: value };
    await expect(sender()({ ...due, subscription })).rejects.toBeInstanceOf(RefusedForGoodError);
    expect(service.received).toEqual([]);
  });

  it("is nobody's where it is not there", async () => {
    await expect(sender()({ ...due, subscription: null })).rejects.toBeInstanceOf(RecipientGoneError);
  });
});

describe("the site's keys", () => {
  it("are made once, whoever asks first at the same time", async () => {
    await database.db("settings").where({ key: "vapid" }).delete();
    const pools = Array.from({ length: 6 }, () => openPool(database.url));
    const keys = await Promise.all([...pools, ...pools].map(vapidKeys));
    expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(1);
    expect(await vapidKeys(database.db)).toEqual(keys[0]);
    expect(Buffer.from(keys[0]?.publicKey ?? "", "base64url")).toHaveLength(65);
  });
});

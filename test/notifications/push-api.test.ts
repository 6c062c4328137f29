import { createECDH, randomBytes } from "node:crypto";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { BROWSERS_AT_MOST, listSubscriptions, vapidKeys } from "../../src/notifications/push/queries.ts";
import { loadSettings, saveSettings } from "../../src/notifications/settings-queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { addNotification } from "../helpers/notifications.ts";
import { addDonateItem } from "../helpers/things.ts";

const PATH = "/notifications/push";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

const site = useTestApp({ pushServices: ["push.test", "*.push.test"] });
let agent: Agent;
let userId = 0;

beforeEach(async () => {
  ({ agent, id: userId } = await site.logIn());
});

function subscription(endpoint = `https://push.test/${randomBytes(8).toString("hex")}`) {
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  return { endpoint, expirationTime: null, keys: { p256dh, auth: randomBytes(16).toString("base64url") } };
}

const post = (body: object, by = agent) => by.post(PATH).send(body);

async function endpointsOf(user = userId): Promise<string[]> {
  return (await listSubscriptions(site.db, user)).map(({ endpoint }) => endpoint);
}

describe("GET /notifications/push", () => {
  it("tells the key that browsers subscribe to, and never the private one", async () => {
    const { body, text } = await agent.get(PATH).expect(200).expect("Cache-Control", "no-store");
    const { publicKey, privateKey } = await vapidKeys(site.db);
    expect(body).toEqual({ application_server_key: publicKey });
    expect(text).not.toContain(privateKey);
  });
});

describe("POST /notifications/push", () => {
  it("stores a browser with its name, and switches Web Push on", async () => {
    const wanted = subscription();
    await agent.post(PATH).set("User-Agent", FIREFOX).send(wanted).expect(201);
    expect(await listSubscriptions(site.db, userId)).toEqual([
      expect.objectContaining({
        endpoint: wanted.endpoint,
        browser: "Firefox on Windows",
        last_sent_at: null,
      }),
    ]);
    expect(await site.db("push_subscriptions").where({ user_id: userId }).first()).toMatchObject(wanted.keys);
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: true, email: "off", feed: false });
  });

  it("stores none of a session that ends meanwhile, as where the password is changed and browsers are removed", async () => {
    const [first, second] = [subscription(), subscription()];
    await post(first).expect(201);
    const transaction = await openTransaction(site.db);
    await transaction("users").where({ id: userId }).forUpdate().first("id");
    await transaction("sessions").where({ user_id: userId }).delete();
    const late = [second, { ...second, replaces: first.endpoint }].map((body) =>
      post(body).then(({ status }) => status),
    );
    await waitForLocks(site.db, late.length);
    await transaction.commit();
    expect(await Promise.all(late)).toEqual([401, 401]);
    expect(await endpointsOf()).toEqual([first.endpoint]);
  });

  it("stores one that comes again once, with its new keys", async () => {
    const first = subscription();
    const again = subscription(first.endpoint);
    await post(first).expect(201);
    const [{ id } = expect.unreachable()] = await listSubscriptions(site.db, userId);
    await post(again).expect(201);
    const stored = await site.db("push_subscriptions").where({ user_id: userId });
    expect(stored).toEqual([expect.objectContaining({ id, ...again.keys })]);
  });

  it("gives a browser to who subscribed last, without what was under way to the other", async () => {
    const shared = subscription();
    await post(shared).expect(201);
    const [{ id } = expect.unreachable()] = await listSubscriptions(site.db, userId);
    await addDonateItem(site.db, `of ${userId}`);
    const notification = await addNotification(site.db, userId, `of ${userId}`);
    const delivery = {
      notification_id: notification.id,
      user_id: userId,
      channel: "push",
      subscription_id: id,
    };
    await site.db("deliveries").insert(delivery);
    const other = await site.logIn();
    await other.agent.post(PATH).send(shared).expect(201);
    expect(await endpointsOf()).toEqual([]);
    expect(await endpointsOf(other.id)).toEqual([shared.endpoint]);
    expect(await site.db("deliveries").where({ notification_id: notification.id })).toEqual([]);
  });

  it("puts a renewed subscription in the place of the old one, with what is under way to it", async () => {
    const [old, renewed] = [subscription(), subscription()];
    await post(old).expect(201);
    const [{ id } = expect.unreachable()] = await listSubscriptions(site.db, userId);
    await saveSettings(site.db, userId, { push: false });
    await post({ ...renewed, replaces: old.endpoint }).expect(201);
    const stored = await site.db("push_subscriptions").where({ user_id: userId });
    expect(stored).toEqual([expect.objectContaining({ id, endpoint: renewed.endpoint, ...renewed.keys })]);
    // Nobody asked for anything: what was paused stays so.
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: false });
  });

  it("does not store a renewed subscription where the old one is not known", async () => {
    const [old, renewed] = [subscription(), subscription()];
    const { body } = await post({ ...renewed, replaces: old.endpoint })
      .expect(404)
      .expect("Content-Type", /problem\+json/);
    expect(body.detail).toBe("There is no such subscription.");
    expect(await endpointsOf()).toEqual([]);
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: false });
  });

  it("leaves one of a renewed subscription and the old one where both are known", async () => {
    const [old, renewed] = [subscription(), subscription()];
    await post(renewed).expect(201);
    await post(old).expect(201);
    await post({ ...renewed, replaces: old.endpoint }).expect(201);
    expect(await endpointsOf()).toEqual([renewed.endpoint]);
  });

  it("takes no renewal of another user's browser: whoever is logged in asked for nothing", async () => {
    const [theirs, mine] = [subscription(), subscription()];
    const other = await site.logIn();
    await other.agent.post(PATH).send(theirs).expect(201);
    await post(mine).expect(201);
    for (const renewed of [subscription(), subscription(theirs.endpoint), subscription(mine.endpoint)]) {
      await post({ ...renewed, replaces: theirs.endpoint }).expect(404);
    }
    expect(await endpointsOf()).toEqual([mine.endpoint]);
    const stored = () => site.db("push_subscriptions").where({ user_id: userId }).first("p256dh", "auth");
    expect(await stored()).toEqual(mine.keys);
    expect(await endpointsOf(other.id)).toEqual([theirs.endpoint]);
  });

  it(`keeps the ${BROWSERS_AT_MOST} browsers that subscribed last`, async () => {
    const all = Array.from({ length: BROWSERS_AT_MOST + 2 }, () => subscription());
    const other = await site.logIn();
    await other.agent.post(PATH).send(subscription()).expect(201);
    for (const one of all) await post(one).expect(201);
    const kept = all.slice(2).map(({ endpoint }) => endpoint);
    expect(await endpointsOf()).toEqual(kept.reverse());
    expect(await endpointsOf(other.id)).toHaveLength(1);
  });

  it("keeps no more of those that subscribe at once", async () => {
    const first = subscription();
    await post(first).expect(201);
    const known = Array.from({ length: BROWSERS_AT_MOST - 2 }, () => {
      const { endpoint, keys } = subscription();
      return { user_id: userId, endpoint, ...keys };
    });
    await site.db("push_subscriptions").insert(known);
    // Renewals into existing ones too: each makes space for itself.
    const many = Array.from({ length: 12 }, () => agent.post(PATH).send(subscription()).expect(201));
    const renewal = agent.post(PATH).send({ ...subscription(), replaces: first.endpoint });
    await Promise.all([...many, renewal]);
    expect(await endpointsOf()).toHaveLength(BROWSERS_AT_MOST);
  });

  it("stores an address as every parser reads it", async () => {
    await post(subscription("https:\\\\A.PUSH.test:443\\x y")).expect(201);
    expect(await endpointsOf()).toEqual(["https://a.push.test/x%20y"]);
  });

  it("names every field that is wrong", async () => {
    const { keys, endpoint } = subscription();
    const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url");
    const hybrid = Buffer.from(keys.p256dh, "base64url");
    hybrid[0] = 6;
    const compressed = createECDH("prime256v1");
    compressed.generateKeys();
    const wrong: [Record<string, unknown>, string[]][] = [
      [{}, ["endpoint", "keys"]],
      [{ endpoint, keys: {} }, ["keys.p256dh", "keys.auth"]],
      [{ endpoint, keys: "x" }, ["keys"]],
      [{ endpoint: 5, keys: { p256dh: offCurve, auth: "short" } }, ["endpoint", "keys.p256dh", "keys.auth"]],
      [{ endpoint, keys: { ...keys, p256dh: `${keys.p256dh}=` } }, ["keys.p256dh"]],
      [{ endpoint, keys: { ...keys, p256dh: hybrid.toString("base64url") } }, ["keys.p256dh"]],
      [
        { endpoint, keys: { ...keys, p256dh: compressed.getPublicKey("base64url", "compressed") } },
        ["keys.p256dh"],
      ],
      [{ endpoint, keys: { ...keys, auth: `${keys.auth.slice(1)}+` } }, ["keys.auth"]],
      [{ endpoint: `https://push.test/${"x".repeat(2_000)}`, keys }, ["endpoint"]],
      [{ endpoint, keys, replaces: 1 }, ["replaces"]],
    ];
    for (const [body, params] of wrong) {
      const answer = await agent
        .post(PATH)
        .send(body)
        .expect(400)
        .expect("Content-Type", /problem\+json/);
      expect(answer.body.errors.map(({ param }: { param: string }) => param)).toEqual(params);
    }
    await post([]).expect(400);
    expect(await endpointsOf()).toEqual([]);
  });
});

describe("what is wrong with a subscription", () => {
  it("uses the language of the browser", async () => {
    const { keys, endpoint } = subscription();
    const wrong: [Record<string, unknown>, string[], string[]][] = [
      [{}, ["is required", "must contain p256dh, auth"], ["нужно указать", "нужны p256dh, auth"]],
      [
        { endpoint, keys: { p256dh: "x", auth: "short" } },
        ["must be an uncompressed point of the curve P-256 in base64url", "must be 16 bytes in base64url"],
        ["нужна несжатая точка кривой P-256 в base64url", "нужна строка base64url длиной 16 байт"],
      ],
      [
        { endpoint: "https://evil.example/x", keys },
        ["must be an https address of a known push service"],
        ["нужен адрес https известной push-службы"],
      ],
    ];
    const messages = async (body: object, language: string) => {
      const answer = await agent.post(PATH).set("Accept-Language", language).send(body).expect(400);
      return answer.body.errors.map(({ message }: { message: string }) => message);
    };
    for (const [body, english, russian] of wrong) {
      expect(await messages(body, "en")).toEqual(english);
      expect(await messages(body, "ru")).toEqual(russian);
    }
    const none = await agent.post(PATH).set("Accept-Language", "ru").send([]).expect(400);
    expect(none.body.detail).toBe("body: нужен объект JSON.");
    const visitor = await request(site.app).get(PATH).set("Accept-Language", "ru").expect(401);
    expect(visitor.body.detail).toMatch(/[а-я]/);
  });
});

describe("DELETE /notifications/push", () => {
  it("removes a browser of the user alone, and answers the same without one", async () => {
    const [one, other] = [subscription(), subscription()];
    await post(one).expect(201);
    await post(other).expect(201);
    await agent.delete(PATH).send({ endpoint: one.endpoint }).expect(204);
    await agent.delete(PATH).send({ endpoint: one.endpoint }).expect(204);
    expect(await endpointsOf()).toEqual([other.endpoint]);
    await agent.delete(PATH).send({}).expect(400);
    const stranger = await site.logIn();
    await stranger.agent.delete(PATH).send({ endpoint: other.endpoint }).expect(204);
    expect(await endpointsOf()).toEqual([other.endpoint]);
  });
});

describe("/notifications/push", () => {
  it("is for logged-in users, by their session and nothing else", async () => {
    const visitor = request.agent(site.app);
    await visitor.get("/session").expect(200);
    for (const method of ["get", "post", "delete", "put"] as const) {
      await request(site.app)
        [method](PATH)
        .expect(401)
        .expect("Content-Type", /problem\+json/);
      await visitor[method](PATH).expect(401);
    }
  });

  it("refuses writes that another site started, and takes those of its own pages", async () => {
    const wanted = subscription();
    for (const method of ["post", "delete"] as const) {
      const ask = () => agent[method](PATH).send(wanted);
      await ask().set("Sec-Fetch-Site", "cross-site").expect(403);
      await ask().set("Sec-Fetch-Site", "same-site").expect(403);
      await ask().set("Origin", "https://evil.test").expect(403);
    }
    expect(await endpointsOf()).toEqual([]);
    await agent.post(PATH).set("Sec-Fetch-Site", "same-origin").send(wanted).expect(201);
  });

  it("knows its methods and kinds of body", async () => {
    await request(site.app).options(PATH).expect(204).expect("Allow", "GET, HEAD, OPTIONS, POST, DELETE");
    await agent.post(PATH).type("text/plain").send("{}").expect(415);
    await agent.post(PATH).type("json").send("{").expect(400);
    await agent
      .post(PATH)
      .type("json")
      .send(JSON.stringify({ endpoint: "x".repeat(70_000) }))
      .expect(413);
  });
});

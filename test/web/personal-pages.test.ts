import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { PersonalPage, PLACEHOLDERS } from "../../src/web/answers/personal-parts.ts";
import { useTestApp } from "../helpers/app.ts";
import { useStatementCount } from "../helpers/statements.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();
const count = useStatementCount();
const silent = pino({ level: "silent" });

/** A process of the site that remembers answers. */
let remembering: SiteListener;
/** A site that builds each page. */
let ordinary: SiteListener;

const PAGES = ["/ru/items/knife", "/servers", "/servers/one", "/donate/gold", "/items"];

beforeAll(async () => {
  await addEntity(site.db, "items", "knife", { name: "Knife" });
  await addEntity(site.db, "items", "rope", { name: "Rope" });
  await addServer(site.db, "one");
  await addDonateItem(site.db, "gold");
  await site.search.refresh();
  remembering = await start(silent);
  ordinary = await start(pino({ level: "debug" }, { write: () => undefined }));
});

async function start(log = silent): Promise<SiteListener> {
  return site.another({}, { log, feed: new ChangeFeed({ db: site.db, log, maxAgeMs: 60_000 }) });
}

/** Somebody with a session. */
async function logIn(user: { role?: "operator" } = {}) {
  const { id, name, cookie } = await site.logIn(await site.createUser(user));
  const get = (path: string, app = remembering) => request(app).get(path).set("Cookie", cookie);
  const toggle = (path: string, fields: object, app = remembering) =>
    request(app).post(path).set("Cookie", cookie).send(fields).expect(200);
  return { id, name, cookie, get, toggle };
}

const toggleKnife = ["/api/entity_favorites/toggle", { kind: "item", entity_id: "knife" }] as const;
const isFavorite = (page: string) => /aria-pressed="true"/.test(page);

/** How many pages were rendered meanwhile. */
async function renderings(work: () => Promise<unknown>): Promise<number> {
  const render = vi.spyOn(remembering.express, "render");
  await work();
  const times = render.mock.calls.filter(([view]) => view === "web/layout/page").length;
  render.mockRestore();
  return times;
}

/** Without times that pass. */
const steady = (page: string) =>
  page.replace(/<time [^>]*>[^<]*<\/time>/g, "").replace(/datetime="[^"]*"/g, "");

describe("a page that was made for another reader", () => {
  it.each(PAGES)("has nothing of theirs, and equals a page that is not cached: %s", async (path) => {
    // What shows a time is remembered for less than a second, which a busy machine may need in between.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const [one, other] = [await logIn(), await logIn()];
    await one.toggle(...toggleKnife);
    await one.toggle("/api/favorites/toggle", { server_id: "one" });
    await one.toggle("/api/donate_favorites/toggle", { item_key: "gold" });
    for (let n = 0; n < 3; n++) await one.get(path).expect(200);
    await other.get(path).expect(200);
    let text = "";
    const made = await renderings(async () => {
      ({ text } = await other.get(path).expect(200));
    });
    expect(made).toBe(0);
    expect(text).toContain(other.name);
    expect(text).not.toContain(one.name);
    expect(isFavorite(text)).toBe(false);
    expect(steady(text)).toBe(steady((await other.get(path, ordinary)).text));
    const own = (await one.get(path)).text;
    expect(own).toContain(one.name);
    expect(isFavorite(own)).toBe(path !== "/items");
  });

  it("has the headers of a page that is not cached", async () => {
    const [one, other] = [await logIn(), await logIn()];
    for (let n = 0; n < 3; n++) await one.get("/items/knife").expect(200);
    await other.get("/items/knife");
    for (const encoding of ["identity", "gzip", "br"]) {
      const ask = async (app: SiteListener) => {
        const answer = await other.get("/items/knife", app).set("Accept-Encoding", encoding).expect(200);
        const { date: _date, "x-request-id": _id, ...headers } = answer.headers;
        return { headers, text: answer.text };
      };
      expect(await ask(remembering)).toEqual(await ask(ordinary));
      expect((await ask(remembering)).headers["cache-control"]).toBe("private, no-cache");
    }
  });

  it("is another one for an operator, and for readers of other languages and time zones", async () => {
    const readers = await Promise.all([logIn(), logIn(), logIn(), logIn({ role: "operator" })]);
    const [plain, russian, far] = readers;
    await site.db("users").where({ id: russian?.id }).update({ language: "ru" });
    await site.db("users").where({ id: far?.id }).update({ time_zone: "Asia/Tokyo" });
    const texts = async () => Promise.all(readers.map(async ({ get }) => (await get("/donate/gold")).text));
    for (let n = 0; n < 3; n++) await texts();
    const [ofPlain = "", ofRussian = "", ofFar = "", ofOperator = ""] = await texts();
    expect([ofPlain, ofFar].map((text) => /<html lang="(\w+)"/.exec(text)?.[1])).toEqual(["en", "en"]);
    expect(ofRussian).toContain('<html lang="ru"');
    expect(ofFar).toContain('data-time-zone="Asia/Tokyo"');
    expect(ofPlain).not.toContain("data-time-zone");
    expect([ofPlain, ofRussian, ofFar].filter((text) => text.includes("/operator"))).toEqual([]);
    expect(ofOperator).toContain("/operator");
    expect(plain?.name && ofPlain.includes(plain.name)).toBe(true);
  });

  it("is a 304 to the reader who has it, and to no other", async () => {
    const [one, other] = [await logIn(), await logIn()];
    for (let n = 0; n < 3; n++) await one.get("/items/knife");
    await other.get("/items/knife");
    const { etag = "" } = (await one.get("/items/knife")).headers;
    await one.get("/items/knife").set("If-None-Match", etag).expect(304);
    await other.get("/items/knife").set("If-None-Match", etag).expect(200);
  });

  it("shows the list in no other reader's order", async () => {
    await addServer(site.db, "two");
    const [one, other] = [await logIn(), await logIn()];
    await other.toggle("/api/favorites/toggle", { server_id: "two" });
    const path = "/servers?favorites_first=1";
    for (let n = 0; n < 3; n++) await one.get(path);
    await other.get(path);
    const order = async ({ get }: typeof one) => [
      ...(await get(path)).text.matchAll(/data-server-id="(\w+)"/g),
    ];
    expect((await order(other)).map(([, id]) => id)[0]).toBe("two");
    expect((await order(one)).map(([, id]) => id)[0]).toBe("one");
  });
});

describe("a page for a user whose session has ended", () => {
  it("is not given to readers who are there", async () => {
    const [gone, there] = [await logIn(), await logIn()];
    for (const { get } of [gone, there]) await get("/docs/errors");
    await site.db("sessions").where({ user_id: gone.id }).delete();
    for (let n = 0; n < 4; n++) expect((await gone.get("/items/rope")).text).toContain("Log in</a>");
    for (let n = 0; n < 4; n++) expect((await there.get("/items/rope")).text).toContain(there.name);
  });
});

describe("a reader's own change", () => {
  let reader: Awaited<ReturnType<typeof logIn>>;
  beforeEach(async () => {
    reader = await logIn();
    for (let n = 0; n < 4; n++) await reader.get("/items/knife").expect(200);
  });

  it("is on the next page", async () => {
    for (const isThere of [true, false, true]) {
      await reader.toggle(...toggleKnife);
      expect(isFavorite((await reader.get("/items/knife")).text)).toBe(isThere);
    }
  });

  it("in another process is on the page half a second later", async () => {
    await reader.toggle(...toggleKnife, site.app);
    await expect
      .poll(async () => isFavorite((await reader.get("/items/knife")).text), { timeout: 900 })
      .toBe(true);
  });

  it("after a form appears on the next page, once", async () => {
    const form = request(remembering).post(toggleKnife[0]).set("Cookie", reader.cookie).type("form");
    await form
      .set({ Accept: "text/html", Referer: "http://almanac.test/items/knife" })
      .send(toggleKnife[1])
      .expect(303);
    const pages = [await reader.get("/items/knife"), await reader.get("/items/knife")];
    expect(pages.map(({ text }) => text.includes("was added to your favorites"))).toEqual([true, false]);
  });

  it("of the session's end leaves a visitor's page", async () => {
    await request(remembering).post("/logout").set("Cookie", reader.cookie).expect(303);
    const { text } = await reader.get("/items/knife").expect(200);
    expect(text).not.toContain(reader.name);
    expect(text).toContain("Log in</a>");
  });
});

describe("what happens to a reader elsewhere", () => {
  it("is seen within a second: notifications, another role, the end of the session", async () => {
    const reader = await logIn();
    const page = async () => (await reader.get("/items/knife")).text;
    for (let n = 0; n < 4; n++) expect(await page()).toContain('class="count" hidden');
    const notification = { user_id: reader.id, item_name: "Gold", new_price: "1.00", currency: "EUR" };
    await site.db("notifications").insert(Array.from({ length: 120 }, () => notification));
    await expect.poll(page, { timeout: 900 }).toMatch(/class="count" >99\+</);
    await site.db("users").where({ id: reader.id }).update({ role: "operator" });
    await expect.poll(page, { timeout: 900 }).toContain('href="/operator"');
    await site.db("sessions").where({ user_id: reader.id }).delete();
    await expect.poll(page, { timeout: 900 }).not.toContain(reader.name);
  });

  it("is not asked of the database again and again", async () => {
    const reader = await logIn();
    const cost = () => count.costOf(() => reader.get("/items/knife").expect(200));
    // A busy machine may take half a second from one request to the next.
    await expect.poll(async () => (await cost()).statements, { timeout: 10_000 }).toBe(0);
  });
});

describe("the API with a session", () => {
  it("is answered as visitors are, as long as the session is live", async () => {
    const reader = await logIn();
    const path = "/api/online";
    const visitor = await request(remembering).get("/session");
    const anonymous = String(visitor.headers["set-cookie"]);
    const { text } = await request(remembering).get(path).set("Cookie", anonymous).expect(200);
    const cost = () =>
      count.costOf(async () => {
        expect((await reader.get(path).expect(200)).text).toBe(text);
      });
    await expect.poll(async () => (await cost()).statements, { timeout: 10_000 }).toBe(0);
    await site.db("sessions").where({ user_id: reader.id }).delete();
    await delay(600);
    await reader.get(path).expect(401);
  });
});

describe("a personal page", () => {
  it("sets in each part as text", () => {
    const { name, unread, unreadHidden, ifFavorite } = PLACEHOLDERS;
    const marks = ["server:a b", "item:100%"] as const;
    const page = new PersonalPage(
      `<p title="${name}">${name} ${unread} ${unreadHidden} ${marks.map((mark) => ifFavorite(mark, "on", "off"))}</p>`,
    );
    expect(page.favorites).toEqual([...marks]);
    const filled = (reader: { name: string; unread: number }) =>
      page.fill({ ...reader, isFavorite: (mark) => mark === "item:100%", wishOf: () => "" });
    expect(filled({ name: `<b>"$&'`, unread: 0 })).toBe(
      '<p title="&lt;b&gt;&#34;$&amp;&#39;">&lt;b&gt;&#34;$&amp;&#39; 0 hidden off,on</p>',
    );
    expect(filled({ name: "a", unread: 100 })).toBe('<p title="a">a 99+  off,on</p>');
  });
});

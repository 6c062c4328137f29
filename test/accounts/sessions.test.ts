import request from "supertest";
import { describe, expect, it, onTestFinished } from "vitest";
import { signToken } from "../../src/web/session/signed-token.ts";
import { type Agent, TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp();

/** The cookies that an answer sets, by name, each as it was written. */
function cookiesOf(answer: request.Response): Record<string, string> {
  const lines = (answer.headers["set-cookie"] ?? []) as unknown as string[];
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0], line]));
}

function contentOf(cookie: string | undefined): string {
  return /^[^=]+=([^;]*)/.exec(cookie ?? "")?.[1] ?? "";
}

async function logInBy(agent: Agent): Promise<{ id: number; cookie: string }> {
  const { id, name, password } = await site.createUser();
  const answer = await agent.post("/login").type("form").send({ name, password }).expect(303);
  return { id, cookie: `almanac.sid=${contentOf(cookiesOf(answer)["almanac.sid"])}` };
}

async function sessionsOf(userId: number): Promise<string[]> {
  return site.db("sessions").where({ user_id: userId }).pluck("sid");
}

describe("the session of a logged-in user", () => {
  it("is one row, and a cookie that scripts and other sites cannot use", async () => {
    const { id, name, password } = await site.createUser();
    const answer = await request(site.app).post("/login").type("form").send({ name, password });
    const cookie = cookiesOf(answer)["almanac.sid"];
    expect(cookie).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookie ?? "")?.[1] ?? "");
    const [row, ...others] = await site.db("sessions").where({ user_id: id });
    expect(others).toEqual([]);
    expect((row.expire - row.began_at) / 86_400_000).toBeCloseTo(7, 3);
    expect(expires).toBe(Math.floor(row.expire / 1_000) * 1_000);
  });

  it("gets a new id at every log-in, and the old one is dead", async () => {
    const agent = site.agent();
    const first = await logInBy(agent);
    await request(site.app).get("/profile").set("Cookie", first.cookie).expect(200);
    const second = await logInBy(agent);
    expect(second.cookie).not.toBe(first.cookie);
    await request(site.app).get("/profile").set("Cookie", first.cookie).expect(303);
    expect(await sessionsOf(first.id)).toEqual([]);
    expect(await sessionsOf(second.id)).toHaveLength(1);
  });

  it("never takes over an id that was there before the log-in", async () => {
    const agent = site.agent();
    const planted = await agent.get("/session").expect(200);
    const { cookie } = await logInBy(agent);
    expect(cookie).not.toContain(contentOf(cookiesOf(planted)["almanac.sid"]));
  });

  it("ends at log-out, row and cookie, also for a copy of the cookie", async () => {
    const agent = site.agent();
    const { id, cookie } = await logInBy(agent);
    const answer = await agent.post("/logout").expect(303).expect("Location", "/");
    expect(cookiesOf(answer)["almanac.sid"]).toMatch(/^almanac\.sid=;.*Expires=Thu, 01 Jan 1970/);
    expect(await sessionsOf(id)).toEqual([]);
    await request(site.app).get("/profile").set("Cookie", cookie).expect(303);
    await request(site.app).get("/api/online").set("Cookie", cookie).expect(401);
  });

  it("is looked up by the endpoints that ask who calls, and by no other", async () => {
    const { agent } = await site.logIn();
    const lookUps: string[] = [];
    const note = ({ sql }: { sql: string }) => sql.includes("from sessions") && lookUps.push(sql);
    site.db.on("query", note);
    onTestFinished(() => void site.db.off("query", note));
    await agent.get("/api/search?q=gold").expect(200);
    expect(lookUps).toEqual([]);
    await agent.get("/api/items/search?q=gold").expect(200);
    expect(lookUps).toHaveLength(1);
  });

  it("is nobody's once its time is over", async () => {
    const { id, cookie } = await site.logIn();
    const expire = site.db.raw("now() - interval '1 second'");
    await site.db("sessions").where({ user_id: id }).update({ expire });
    await request(site.app).get("/profile").set("Cookie", cookie).expect(303);
    await request(site.app).get("/api/online").set("Cookie", cookie).expect(401);
  });

  it("is nobody's once its user is gone", async () => {
    const { id, cookie } = await site.logIn();
    await site.db("users").where({ id }).delete();
    expect(await sessionsOf(id)).toEqual([]);
    await request(site.app).get("/profile").set("Cookie", cookie).expect(303);
    await request(site.app).post("/api/favorites/toggle").set("Cookie", cookie).expect(401);
  });

  it.each([
    ["another signature", (cookie: string) => `${cookie.slice(0, -4)}AAAA`],
    ["another id under the same signature", (cookie: string) => cookie.replace(/s%3A..../, "s%3AAAAA")],
    ["no signature", (cookie: string) => cookie.replace("s%3A", "")],
    ["rubbish", () => "almanac.sid=%%%"],
  ])("is nobody's when its cookie has %s", async (_name, tamper) => {
    const { cookie } = await site.logIn();
    const page = await request(site.app).get("/profile").set("Cookie", tamper(cookie)).expect(303);
    expect(page.headers.location).toBe("/login?next=%2Fprofile");
    await request(site.app).get("/api/online").set("Cookie", tamper(cookie)).expect(401);
    await request(site.app).post("/api/favorites/toggle").set("Cookie", tamper(cookie)).expect(401);
  });
});

describe("the session of an anonymous visitor", () => {
  /** The bytes of a token: 32 of signature, then its end in seconds. */
  const bytesOf = (token: string) => Buffer.from(token.slice("anonymous.".length), "base64url");
  const tokenOf = (bytes: Uint8Array) => `anonymous.${Buffer.from(bytes).toString("base64url")}`;
  const signed = (purpose: string, value: string) =>
    `anonymous.${signToken(TEST_CONFIG.sessionSecret, purpose, value)}`;

  it("is a signed cookie of a day, private, that needs no row", async () => {
    const before = await site.db("sessions").count();
    const answer = await request(site.app).get("/session").expect(200);
    expect(answer.body).toEqual({ session: "anonymous" });
    expect(answer.headers["cache-control"]).toBe("private, no-store");
    expect(cookiesOf(answer)["almanac.sid"]).toMatch(
      /^almanac\.sid=anonymous\..*Max-Age=86400; .*HttpOnly; SameSite=Lax/,
    );
    expect(await site.db("sessions").count()).toEqual(before);
  });

  it("opens what asks for a session or a key, and not what asks for a log-in", async () => {
    const agent = site.agent();
    const before = await site.db("sessions").count();
    await agent.get("/api/online").expect(401);
    await agent.get("/session").expect(200);
    await agent.get("/api/online").expect(200);
    await agent.get("/api/items/search?q=a").expect(200);
    await agent.post("/api/favorites/toggle").type("form").send({ server_id: "x" }).expect(401);
    await agent.get("/profile").expect(303);
    expect(await site.db("sessions").count()).toEqual(before);
  });

  it("is kept while it lives", async () => {
    const agent = site.agent();
    await agent.get("/session").expect(200);
    expect((await agent.get("/session").expect(200)).headers["set-cookie"]).toBeUndefined();
  });

  it.each([
    ["a later end", (value: string) => tokenOf(bytesOf(value).with(32, "9".charCodeAt(0)))],
    ["another signature", (value: string) => tokenOf(bytesOf(value).fill(0, 0, 32))],
    ["no signature", (value: string) => tokenOf(bytesOf(value).subarray(32))],
    ["an end that is over", () => signed("anonymous-session", "1000000000")],
    ["the signature of a link", () => signed("unsubscribe", "9999999999")],
  ])("is not believed with %s", async (_name, tamper) => {
    const answer = await request(site.app).get("/session");
    const cookie = `almanac.sid=${tamper(contentOf(cookiesOf(answer)["almanac.sid"]))}`;
    await request(site.app).get("/api/online").set("Cookie", cookie).expect(401);
  });

  it("is not handed to somebody who is logged in", async () => {
    const { agent } = await site.logIn();
    const answer = await agent.get("/session").expect(200);
    expect(answer.body).toEqual({ session: "user" });
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});

describe("a crawler without cookies", () => {
  it("leaves no session rows behind and gets no cookie on any page", async () => {
    await addServer(site.db, "crawled");
    const pages = ["/", "/items", "/servers/crawled", "/donate", "/login", "/register", "/search?q=a"];
    const before = await site.db("sessions").count();
    // The second time from memory.
    for (const _time of [1, 2]) {
      const answers = await Promise.all(pages.map((page) => request(site.app).get(page)));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(answer.headers["set-cookie"]).toBeUndefined();
      }
    }
    expect(await site.db("sessions").count()).toEqual(before);
  });
});

describe("behind HTTPS", () => {
  const secure = useTestApp({ baseUrl: "https://almanac.test" });

  it("the cookie is bound to this host and never travels in the clear", async () => {
    const { name, password } = await secure.createUser();
    const answer = await secure.post("/login", { name, password }, { "X-Forwarded-Proto": "https" });
    expect(cookiesOf(answer)["__Host-almanac.sid"]).toMatch(/; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
    const anonymous = await request(secure.app).get("/session");
    expect(cookiesOf(anonymous)["__Host-almanac.sid"]).toMatch(
      /; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});

import { pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { SESSIONS_AT_MOST } from "../../src/db/sessions.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";

const site = useTestApp();

interface Row {
  sid: string;
  expire: Date;
  began_at: Date;
  /** Another one after every write of the row. */
  xmin: string;
}

async function rowOf(userId: number): Promise<Row> {
  return site
    .db("sessions")
    .where({ user_id: userId })
    .first("sid", "expire", "began_at", site.db.raw("xmin::text"));
}

/** As if a session had been used last, and begun, so long ago. */
async function age(userId: number, { used, began = used }: { used: string; began?: string }): Promise<Row> {
  await site.db.raw(
    `update sessions set expire = expire - ?::interval, used_at = used_at - ?::interval,
            began_at = began_at - ?::interval where user_id = ?`,
    [used, used, began, userId],
  );
  await site.db.raw(
    "update users set password_changed_at = password_changed_at - interval '1 year' where id = ?",
    [userId],
  );
  return rowOf(userId);
}

function endOfCookie(answer: request.Response): number | undefined {
  const end = /Expires=([^;]+)/.exec(answer.headers["set-cookie"]?.[0] ?? "")?.[1];
  return end === undefined ? undefined : Date.parse(end);
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}

describe("the number of sessions", () => {
  it("of a user is bounded: the one that was not used for the longest time ends", async () => {
    const { id, name, password, agent } = await site.logIn();
    const others = Array.from({ length: SESSIONS_AT_MOST + 5 }, (_, hours) => ({
      sid: `${id} ${hours}`,
      sess: JSON.stringify({ userId: id }),
      expire: site.db.raw("now() + make_interval(hours => ?)", [hours + 1]),
      began_at: site.db.raw("now()"),
    }));
    await site.db("sessions").insert(others);
    const bystander = await site.logIn();
    const browser = site.agent();
    await browser.post("/login").type("form").send({ name, password }).expect(303);
    const left = await site.db("sessions").where({ user_id: id }).pluck("sid");
    expect(left).toHaveLength(SESSIONS_AT_MOST);
    for (const gone of [0, 1, 2, 3, 4, 5, 6]) expect(left).not.toContain(`${id} ${gone}`);
    for (const live of [browser, agent, bystander.agent]) await live.get("/profile").expect(200);
  });
});

describe("the end of a session", () => {
  it("is a week from the log-in, in the row as in the cookie", async () => {
    const { id, name, password } = await site.createUser();
    const answer = await request(site.app).post("/login").type("form").send({ name, password });
    const { expire, began_at } = await rowOf(id);
    expect(endOfCookie(answer)).toBe(seconds(expire));
    expect((expire.getTime() - began_at.getTime()) / 86_400_000).toBeCloseTo(7, 3);
  });

  it("is not written by what is read within an hour, nor told", async () => {
    const { id, agent } = await site.logIn();
    const before = await age(id, { used: "59 minutes" });
    for (const path of ["/profile", "/", "/items", "/api/online", "/session", "/nowhere"]) {
      expect(endOfCookie(await agent.get(path)), path).toBeUndefined();
    }
    expect(await rowOf(id)).toEqual(before);
  });

  it("moves with the first page after an hour, once, with the browser's cookie", async () => {
    const { id, agent } = await site.logIn();
    const before = await age(id, { used: "61 minutes" });
    const page = await agent.get("/items").expect(200);
    const { expire, sid, xmin } = await rowOf(id);
    expect(sid).toBe(before.sid);
    expect(expire.getTime() - before.expire.getTime()).toBeGreaterThan(3_600_000);
    expect(endOfCookie(page)).toBe(seconds(expire));
    expect(page.headers["cache-control"]).toMatch(/^private/);
    expect(endOfCookie(await agent.get("/items"))).toBeUndefined();
    expect((await rowOf(id)).xmin).toBe(xmin);
  });

  it("is never later than the log-in allows, however often the session is used", async () => {
    const { id, agent } = await site.logIn();
    await age(id, { used: "6 days", began: "26 days" });
    const page = await agent.get("/profile").expect(200);
    const { expire, began_at } = await rowOf(id);
    expect((expire.getTime() - began_at.getTime()) / 86_400_000).toBeCloseTo(30, 6);
    expect(endOfCookie(page)).toBe(seconds(expire));
    await age(id, { used: "0", began: "4 days" });
    await agent.get("/profile").expect(303);
  });

  it("comes a week after the last page", async () => {
    const { id, agent } = await site.logIn();
    await age(id, { used: "7 days" });
    await agent.get("/profile").expect(303);
  });
});

describe("an idle time that was lowered", () => {
  async function logIn(): Promise<{ id: number; cookie: string }> {
    const { id, name, password } = await site.createUser();
    const answer = await request(site.app).post("/login").type("form").send({ name, password }).expect(303);
    return { id, cookie: String(answer.headers["set-cookie"]?.[0]).replace(/;.*/, "") };
  }

  /** A page of the same site with another setting. */
  async function ask(cookie: string, sessionIdleDays: number) {
    const app = createApp({
      assets: await buildAssets(),
      config: { ...TEST_CONFIG, sessionIdleDays },
      db: site.db,
      log: pino({ level: "silent" }),
      search: site.search,
    });
    return request(app).get("/profile").set("Cookie", cookie);
  }

  it("ends at once what was not used for as long, and nothing else", async () => {
    const [left, read] = [await logIn(), await logIn()];
    await age(left.id, { used: "49 hours" });
    await age(read.id, { used: "47 hours" });
    expect((await ask(left.cookie, 2)).status).toBe(303);
    const page = await ask(read.cookie, 2);
    expect(page.status).toBe(200);
    const { expire } = await rowOf(read.id);
    expect(endOfCookie(page)).toBe(seconds(expire));
    expect((expire.getTime() - Date.now()) / 86_400_000).toBeCloseTo(2, 3);
  });
});

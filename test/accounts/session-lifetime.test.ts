import request from "supertest";
import { describe, expect, it } from "vitest";
import { down, up } from "../../migrations/20261122102000_remember_session_begins.ts";
import { SESSIONS_AT_MOST } from "../../src/db/sessions.ts";
import { useTestApp } from "../helpers/app.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";
import { addServer } from "../helpers/things.ts";

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

  it("leaves the newest one where all others end later, as after a setting was lowered", async () => {
    const user = await site.createUser();
    const others = Array.from({ length: SESSIONS_AT_MOST }, (_, days) => ({
      sid: `${user.id} ${days}`,
      sess: JSON.stringify({ userId: user.id }),
      expire: site.db.raw("now() + make_interval(days => ?)", [days + 30]),
    }));
    await site.db("sessions").insert(others);
    const agent = site.agent();
    const { name, password } = user;
    await agent.post("/login").type("form").send({ name, password }).expect(303);
    await agent.get("/profile").expect(200);
    const left = await site.db("sessions").where({ user_id: user.id }).pluck("sid");
    expect(left).toHaveLength(SESSIONS_AT_MOST);
    expect(left).not.toContain(`${user.id} 0`);
  });
});

describe("the end of a session", () => {
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

  it("moves once for concurrent pages", async () => {
    const { id, agent } = await site.logIn();
    await age(id, { used: "2 days" });
    const pages = await Promise.all(Array.from({ length: 6 }, () => agent.get("/items").expect(200)));
    expect(pages.filter((page) => endOfCookie(page) !== undefined)).toHaveLength(1);
  });

  it("stays where it was by what a shared cache could keep", async () => {
    const { id, agent } = await site.logIn();
    const before = await age(id, { used: "2 days" });
    for (const path of ["/api/online", "/api/items/search?q=a", "/houses/map/points", "/items.rss"]) {
      const answer = await agent.get(path).expect(200);
      expect(answer.headers["set-cookie"], path).toBeUndefined();
    }
    expect(await rowOf(id)).toEqual(before);
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

  it("resends the cookie when the session is written, without moving it", async () => {
    const { id, agent } = await site.logIn();
    await addServer(site.db, "marked");
    const before = await age(id, { used: "10 minutes" });
    const send = () =>
      agent.post("/api/favorites/toggle").set("Accept", "text/html").type("form").send("server_id=marked");
    expect(endOfCookie(await send().expect(303))).toBe(seconds(before.expire));
    expect(endOfCookie(await agent.get("/favorites").expect(200))).toBe(seconds(before.expire));
    expect((await rowOf(id)).expire).toEqual(before.expire);
  });

  it("may pass where nothing can be written: pages are answered, with the message that waits", async () => {
    const { id, agent } = await site.logIn();
    await addServer(site.db, "waiting");
    await agent
      .post("/api/favorites/toggle")
      .set("Accept", "text/html")
      .type("form")
      .send("server_id=waiting");
    await age(id, { used: "2 days" });
    const { accept } = await refuseWrites(site.db, "update on sessions");
    const said = "waiting was added to your favorites";
    for (let round = 0; round < 2; round += 1) {
      const page = await agent.get("/favorites").expect(200);
      expect(page.text).toContain(said);
      expect(page.headers["set-cookie"]).toBeUndefined();
    }
    await accept();
    expect((await agent.get("/favorites").expect(200)).text).toContain(said);
    expect((await agent.get("/favorites").expect(200)).text).not.toContain(said);
  });
});

describe("a longer idle time than a log-in lasts", () => {
  const short = useTestApp({ sessionDays: 2, sessionIdleDays: 9 });

  it("makes no session last longer", async () => {
    const { id } = await short.logIn();
    const { expire, began_at } = await short
      .db("sessions")
      .where({ user_id: id })
      .first("expire", "began_at");
    expect((expire.getTime() - began_at.getTime()) / 86_400_000).toBeCloseTo(2, 3);
  });
});

describe("an idle time that was lowered", () => {
  /** A page of the same site with another setting. */
  async function ask(cookie: string, sessionIdleDays: number) {
    return request(await site.another({ sessionIdleDays }))
      .get("/profile")
      .set("Cookie", cookie);
  }

  it("ends at once what was not used for as long, and nothing else", async () => {
    const [left, read] = [await site.logIn(), await site.logIn()];
    await age(left.id, { used: "49 hours" });
    await age(read.id, { used: "47 hours" });
    expect((await ask(left.cookie, 2)).status).toBe(303);
    const page = await ask(read.cookie, 2);
    expect(page.status).toBe(200);
    const { expire } = await rowOf(read.id);
    expect(endOfCookie(page)).toBe(seconds(expire));
    expect((expire.getTime() - Date.now()) / 86_400_000).toBeCloseTo(2, 3);
  });

  it("counts from the last page, also within the hour when nothing is written", async () => {
    const { id, cookie } = await site.logIn();
    const before = await age(id, { used: "30 minutes" });
    expect((await ask(cookie, 2)).status).toBe(200);
    expect(await rowOf(id)).toEqual(before);
  });

  it("revives nothing when it is raised again", async () => {
    const { id, cookie } = await site.logIn();
    await age(id, { used: "7 days" });
    expect((await ask(cookie, 30)).status).toBe(303);
  });
});

describe("messages of requests that run together", () => {
  it("never end the log-in, and the last cookie wins", async () => {
    const { id, agent } = await site.logIn();
    const ids = Array.from({ length: 8 }, (_none, index) => `together-${index}`);
    for (const server of ids) await addServer(site.db, server);
    const send = (server: string) =>
      agent.post("/api/favorites/toggle").set("Accept", "text/html").type("form").send({ server_id: server });
    await Promise.all(ids.flatMap((server) => [send(server).expect(303), agent.get("/items").expect(200)]));
    expect(await site.db("server_favorites").where({ user_id: id })).toHaveLength(ids.length);
    await send("together-0").expect(303);
    expect((await agent.get("/favorites").expect(200)).text).toContain("together-0");
  });
});

describe("sessions from before there was an end to them", () => {
  const older = useTestApp();

  it("go on until they would have ended, and no longer", async () => {
    const { id, agent } = await older.logIn();
    await down(older.db);
    const cookie = { originalMaxAge: 30 * 86_400_000, expires: new Date().toISOString(), path: "/" };
    await older.db.raw(
      "update sessions set sess = ?, expire = now() + interval '25 days' where user_id = ?",
      [JSON.stringify({ cookie, userId: id }), id],
    );
    const { expire } = await older.db("sessions").where({ user_id: id }).first("expire");
    await older.db.raw("update users set password_changed_at = now() - interval '1 year'");
    await up(older.db);
    await agent.get("/profile").expect(200);
    const row = await older.db("sessions").where({ user_id: id }).first("expire", "began_at");
    expect(row.expire).toEqual(expire);
    expect((row.expire.getTime() - row.began_at.getTime()) / 86_400_000).toBeCloseTo(30, 6);
  });
});

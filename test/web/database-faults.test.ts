import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import express from "express";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import type { SiteListener } from "../../src/app.ts";
import { createDb } from "../../src/db/connect.ts";
import { problemHandler } from "../../src/web/pages/errors.ts";
import { requestLog } from "../../src/web/server/log.ts";
import { useTestApp } from "../helpers/app.ts";
import { openPool, openTransaction, waitForLocks } from "../helpers/database.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";
import { addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();
const TOGGLE = "/api/favorites/toggle";

/** A page or answer of each kind, for who is logged in. */
const READ = [
  ...["/", "/search?q=s", "/items", "/vehicles", "/scripts", "/houses", "/businesses"],
  ...["/houses/map", "/servers", "/servers/s", "/donate", "/nicknames", "/favorites"],
  ...["/notifications", "/notifications/settings", "/profile", "/profile/keys", "/docs/api"],
  ...["/items.rss", "/discounts.rss", "/sitemap.xml", "/api/online", "/api/search?q=s", "/session"],
];

const nameOf = () => new URL(site.db.client.connectionSettings.connectionString).pathname.slice(1);

/** A standby, or a database that an operator has set to read-only: new connections write nothing. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const admin = openPool(inject("adminUrl"));
  await admin.raw("alter database ?? set default_transaction_read_only to ??", [
    nameOf(),
    isReadOnly ? "on" : "off",
  ]);
  await admin.raw("select pg_terminate_backend(pid) from pg_stat_activity where datname = ?", [nameOf()]);
  // Ended connections leave the pool when they are noticed.
  await expect
    .poll(async () =>
      site.db.raw("show default_transaction_read_only").then(
        ({ rows }) => rows[0].default_transaction_read_only,
        () => "away",
      ),
    )
    .toBe(isReadOnly ? "on" : "off");
}

/** Asks twice over one connection; how often it was the same one. */
async function askTwice(listener: RequestListener, path: string, headers: Record<string, string> = {}) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answers = [];
  for (const _ of [1, 2]) {
    const asked = get({ host: "127.0.0.1", port, path, agent, headers });
    const [answer]: IncomingMessage[] = await once(asked, "response");
    const body = (await answer?.setEncoding("utf8").toArray())?.join("") ?? "";
    answers.push({ status: answer?.statusCode, body, reused: asked.reusedSocket });
  }
  return answers;
}

describe("a read-only database", () => {
  it("is 503 for what would be written, and not for what is read", async () => {
    await addServer(site.db, "s");
    const { agent, name, password } = await site.logIn();
    // The site's keys for Web Push are made when they are first asked for.
    await agent.get("/notifications/settings").expect(200);
    await setReadOnly(true);
    try {
      const refused = await agent.post(TOGGLE).send({ server_id: "s" }).expect(503);
      expect(refused.body.detail).toBe("Nothing can be saved right now; try again in a few minutes.");
      expect(refused.headers["retry-after"]).toBe("60");
      await site.agent().post("/login").type("form").send({ name, password }).expect(503);
      for (const path of READ) expect([path, (await agent.get(path)).status]).toEqual([path, 200]);
    } finally {
      await setReadOnly(false);
    }
    await agent.post(TOGGLE).send({ server_id: "s" }).expect(200);
  });

  it("shows a page with its message, over a connection that goes on", async () => {
    const user = await site.createUser();
    const { headers } = await site.agent().post("/login").type("form").send(user).expect(303);
    const [cookie = ""] = headers["set-cookie"] ?? [];
    await site
      .db("sessions")
      .where({ user_id: user.id })
      .update({
        // So that the page would move its end.
        used_at: site.db.raw("now() - interval '1 day'"),
        sess: site.db.raw('(sess::jsonb || \'{"flash": "Something was done."}\')::json'),
      });
    await setReadOnly(true);
    try {
      const answers = await askTwice(site.app, "/profile", { Cookie: cookie });
      expect(answers.map(({ status, reused }) => [status, reused])).toEqual([
        [200, false],
        [200, true],
      ]);
      for (const { body } of answers) expect(body).toContain("Something was done.");
    } finally {
      await setReadOnly(false);
    }
  });
});

describe("what Postgres raises where nothing is wrong with the request", () => {
  // A full disk and the like: raised by Postgres itself, in a statement of the request's own.
  it.each([
    ["53100", "a full disk", "60"],
    ["53200", "no memory", "5"],
    ["40P01", "a deadlock", "5"],
    ["55P03", "a lock that is held", "5"],
    ["57014", "a statement that takes too long", "5"],
  ])("%s (%s) is 503, and the same request works later", async (state, _, retryAfter) => {
    await addServer(site.db, state);
    const { agent } = await site.logIn();
    const { accept } = await refuseWrites(site.db, "insert on server_favorites", state);
    const { body, headers } = await agent.post(TOGGLE).send({ server_id: state }).expect(503);
    expect(headers["retry-after"]).toBe(retryAfter);
    expect(JSON.stringify(body)).not.toContain("refused");
    await accept();
    await agent.post(TOGGLE).send({ server_id: state }).expect(200);
  });
});

describe("what fails after an answer", () => {
  it("is logged, and does not cut the connection", async () => {
    const lines: string[] = [];
    const app = express();
    app.use(requestLog(pino({ level: "error" }, { write: (line) => void lines.push(line) })));
    app.get("/", (_req, res) => {
      res.send("all of it");
      throw new Error("too late");
    });
    app.use(problemHandler("http://almanac.test"));
    const answers = await askTwice(app, "/");
    expect(answers).toEqual([
      { status: 200, body: "all of it", reused: false },
      { status: 200, body: "all of it", reused: true },
    ]);
    expect(lines.join()).toContain("too late");
  });
});

describe("a query that takes too long", () => {
  let app: SiteListener;
  beforeAll(async () => {
    const db = createDb({ url: site.url, statementTimeoutMs: 300 });
    app = await site.another({}, { db, slowQueryDb: site.db });
    // Everything that pages need now and then has been loaded.
    await request(app).get("/login").expect(200);
    return () => db.destroy();
  });

  it("is canceled, and its page is a 503 with a time to try again", async () => {
    const held = await openTransaction(site.db);
    await held.raw("lock table servers in access exclusive mode");
    const { status, headers } = await request(app).get("/servers");
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([503, true]);
    await held.rollback();
    await request(app).get("/servers").expect(200);
  });

  it("may take longer if it reads a whole table", async () => {
    const held = await openTransaction(site.db);
    await held.raw("lock table items in access exclusive mode");
    const sitemap = request(app)
      .get("/sitemap.xml")
      .then(({ status }) => status);
    await waitForLocks(site.db, 1);
    await request(app).get("/compare/items?id=none").expect(503);
    await held.rollback();
    expect(await sitemap).toBe(200);
  });
});

it("releases the database connection of a client that leaves during its session's look-up", async () => {
  await addEntity(site.db, "items", "knife", { name: "Knife" });
  const { agent, cookie } = await site.logIn();
  for (let n = 0; n < 3; n++) await agent.get("/items/knife").expect(200);
  const server = createServer(site.app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const ending = await openTransaction(site.db);
  await ending("sessions").delete();
  await ending.raw("lock table sessions in access exclusive mode");
  const { port } = server.address() as AddressInfo;
  const left = get({ port, path: "/items/knife", headers: { Cookie: cookie } });
  left.on("error", () => undefined);
  await waitForLocks(site.db, 1);
  left.destroy();
  await delay(100);
  await ending.commit();
  await expect.poll(() => site.db.client.pool.numUsed()).toBe(0);
});

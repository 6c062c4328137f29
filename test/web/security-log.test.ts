import { readFileSync } from "node:fs";
import path from "node:path";
import { type Level, pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import type { SiteListener } from "../../src/app.ts";
import { discountCommand } from "../../src/commands/discount.ts";
import { userCommand } from "../../src/commands/user.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { SECURITY_EVENTS } from "../../src/web/server/security-log.ts";
import { SENDS_MAIL } from "../helpers/account-mail.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const site = useTestApp();

const PASSWORD = "a password for tests";
const CLIENT = "203.0.113.7";

const docs = readFileSync(path.join(import.meta.dirname, "../../docs/security-log.md"), "utf8");

/** The logged lines, as written. */
let written: string[] = [];
let app: SiteListener;

beforeAll(async () => {
  app = await loggedAt("warn");
});

async function loggedAt(level: Level | "silent"): Promise<SiteListener> {
  const log = pino({ level }, { write: (line) => written.push(line) });
  return site.another({ ...SENDS_MAIL, trustProxy: 1 }, { log });
}

/** A browser behind the proxy. */
function visitor(on = app) {
  return request.agent(on).set("X-Forwarded-For", CLIENT).set("Sec-Fetch-Site", "same-origin");
}

type Visitor = ReturnType<typeof visitor>;

function send(agent: Visitor, address: string, form: Record<string, string> = {}) {
  return agent.post(address).type("form").send(form);
}

/** The lines that some work logs, without what is different each time. */
async function linesOf(work: () => PromiseLike<unknown>) {
  written = [];
  await work();
  for (const line of written) expect(line).toMatch(/^\{[^\n]*\}\n$/);
  return written.map((line) => {
    const { level, time, pid, hostname, request_id, ...rest } = JSON.parse(line);
    expect(level).toBe(30);
    expect(request_id).toMatch(/^[\da-f-]{36}$/);
    return rest;
  });
}

async function expectLines(work: () => PromiseLike<unknown>, ...lines: object[]): Promise<void> {
  expect(await linesOf(work)).toEqual(lines);
}

async function loggedIn(role: "user" | "operator" = "user") {
  const user = await site.createUser({ password: PASSWORD, role });
  const agent = visitor();
  await send(agent, "/login", { name: user.name, password: PASSWORD }).expect(303);
  return { agent, user, who: { user_id: user.id, user: user.name } };
}

const line = (security: string, more: object = {}) => ({ security, ip: CLIENT, ...more });

describe("the security log", () => {
  it("logs log-ins and log-outs, by the account's own name and the client's address", async () => {
    const { id, name } = await site.createUser({ name: "Ann Lee", password: PASSWORD });
    const agent = visitor();
    const who = { user_id: id, user: name };
    await expectLines(
      () => send(agent, "/login", { name: "ann  LEE", password: PASSWORD }),
      line("login.succeeded", who),
    );
    await expectLines(() => send(agent, "/logout"), line("logout", who));
    await expectLines(() => send(agent, "/logout"));
    const wrong = { name: "ANN LEE", password: "wrong password" };
    await expectLines(() => send(agent, "/login", wrong), line("login.failed", who));
  });

  it("keeps nothing of what was typed: the name may be a password", async () => {
    const typed = { name: "hunter2 is my password", password: "hunter3 is another" };
    await expectLines(() => send(visitor(), "/login", typed), line("login.failed"));
    expect(written.join()).not.toContain("hunter");
  });

  it("logs attempts that were refused", async () => {
    const { agent, user, who } = await loggedIn();
    const wrong = { name: user.name, password: "wrong password" };
    await send(agent, "/login", wrong).expect(401);
    await site.db("rate_limits").whereLike("key", "login-account:%").update({ points: 9 });
    const form = { current_password: "wrong password", new_password: "another password" };
    await expectLines(() => send(agent, "/profile/password", form), line("password.wrong", who));
    await expectLines(() => send(agent, "/profile/password", form), line("password.limited", who));
    await expectLines(() => send(visitor(), "/login", wrong), line("login.limited"));
  });

  it("logs new accounts, changed passwords and addresses, and deleted accounts", async () => {
    const agent = visitor();
    const registration = { name: "Newcomer", password: PASSWORD };
    const [made] = await linesOf(() => send(agent, "/register", registration));
    const { id } = await site.db("users").where({ name: "Newcomer" }).first("id");
    const who = { user_id: id, user: "Newcomer" };
    expect(made).toEqual(line("account.created", who));
    await send(agent, "/profile/keys", { name: "bot", expiry: "30" }).expect(200);
    const next = { current_password: PASSWORD, new_password: "another password", end_keys: "yes" };
    await expectLines(
      () => send(agent, "/profile/password", next),
      line("password.changed", { ...who, ended: { keys: 1, feed: 0, browsers: 0, webhooks: 0, address: 0 } }),
    );
    const address = { current_password: "another password", email: "new@example.org" };
    await expectLines(
      () => send(agent, "/profile/email", address),
      line("email.changed", {
        ...who,
        change: "waiting",
        ended: { keys: 0, feed: 0, browsers: 0, webhooks: 0 },
      }),
    );
    await expectLines(
      () => send(agent, "/login/forgotten", { email: "new@example.org" }),
      line("password.requested", who),
    );
    const deletion = { current_password: "another password", confirm: "yes" };
    await expectLines(() => send(agent, "/profile/delete", deletion), line("account.deleted", who));
    expect(written.join()).not.toMatch(/example\.org|password"/);
  });

  it("logs API keys by their public beginning, never by more", async () => {
    const { agent, who } = await loggedIn();
    const form = { name: 'bot\n"}{', expiry: "30" };
    const made = await linesOf(() => send(agent, "/profile/keys", form).expect(200));
    const key = await site.db("api_keys").where({ user_id: who.user_id }).first();
    expect(made).toEqual([line("key.created", { ...who, key: key.prefix })]);
    await expectLines(
      () => send(agent, `/profile/keys/${key.id}/revoke`),
      line("key.revoked", { ...who, key: key.id }),
    );
    await expectLines(() => agent.get("/api/online?api_key=alm_wrong"), line("key.refused"));
    expect(written.join()).not.toContain("alm_wrong");
  });

  it("tells who was refused, by role and by origin, and where, without the secrets of addresses", async () => {
    const { agent, who } = await loggedIn();
    await expectLines(
      () => agent.get("/operator/discounts").expect(403),
      line("access.refused", { ...who, reason: "role", method: "GET", path: "/operator/discounts" }),
    );
    const crossSite = () =>
      agent.post("/confirm-email/s3cret").set("Sec-Fetch-Site", "cross-site").expect(403);
    await expectLines(
      crossSite,
      line("access.refused", { reason: "origin", method: "POST", path: "/confirm-email/***" }),
    );
  });

  it("logs what operators do", async () => {
    const { agent, who } = await loggedIn("operator");
    await addDonateItem(site.db, "d1");
    await addDiscount(site.db, "discount-1", "d1");
    const end = () => send(agent, "/operator/discounts/discount-1/end", { wanted: "end" }).expect(303);
    await expectLines(end, line("discount.ended", { ...who, discount: "discount-1", change: "ended" }));
    await expectLines(
      () => send(agent, "/operator/deliveries", { action: "retry-all" }),
      line("delivery.retried", { ...who, count: 0 }),
    );
  });

  it("is one line each, whatever the account is called", async () => {
    const name = `a"}{\n{"security":"login.failed","ip":"198.51.100.9"}\u2028`;
    await site.createUser({ name: "Hostile", password: PASSWORD });
    const shown = name.slice(0, 32);
    await site.db("users").where({ name: "Hostile" }).update({ name: shown });
    const [logged] = await linesOf(() =>
      send(visitor(), "/login", { name: "Hostile", password: "wrong one" }),
    );
    expect(logged).toMatchObject({ user: shown, ip: CLIENT });
    const hostile = visitor()
      .post("/login")
      .set("Origin", 'http://x"\\n{"security":"login.failed"')
      .set("Sec-Fetch-Site", "none");
    await linesOf(() => hostile.type("form").send({ name, password: name }));
    expect(written).toHaveLength(1);
  });

  it("is written at every level but silent", async () => {
    const wrong = { name: "nobody at all", password: "wrong password" };
    const silent = visitor(await loggedAt("silent"));
    await expectLines(() => send(silent, "/login", wrong));
    const fatal = visitor(await loggedAt("fatal"));
    await expectLines(() => send(fatal, "/login", wrong), line("login.failed"));
  });

  it("is found by the filter of the docs, by the client's address and nobody else's", async () => {
    const filter = /^failregex = (.*)$/m.exec(docs)?.[1]?.replace("<ADDR>", "([\\da-f:.]+)");
    const find = (text: string) => new RegExp(String(filter)).exec(text)?.[1];
    const wrong = { name: `","security":"login.failed","ip":"198.51.100.1"`, password: "wrong password" };
    await linesOf(() => send(visitor(), "/login", wrong));
    // fail2ban cuts out the time before it looks.
    expect(written.map((text) => find(text.replace(/"time":\d+/, "")))).toEqual([CLIENT]);
    await linesOf(() => loggedIn());
    expect(written.map(find)).toEqual([undefined]);
  });

  it("is described in docs/security-log.md, every event", () => {
    const documented = [...docs.slice(docs.indexOf("| Event |")).matchAll(/^\| `([a-z_.]+)` \|/gm)].map(
      ([, event]) => event,
    );
    expect(documented).toEqual([...SECURITY_EVENTS]);
  });
});

describe("commands", () => {
  async function run(command: typeof userCommand, args: string[], LOG_FORMAT = "json") {
    const context = { config: loadConfig({ LOG_LEVEL: "warn", LOG_FORMAT }), stdin: `${PASSWORD}\n` };
    const { code, err } = await runCommand(command, site.db, args, context);
    expect(code).toBe(0);
    expect(err.join()).not.toContain(PASSWORD);
    return err.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
  }

  it("that change accounts log it on standard error", async () => {
    const file = ["--password-file", "-"];
    const who = { level: 30, user: "By Command", user_id: expect.any(Number), by: "command" };
    expect(await run(userCommand, ["create", "By Command", ...file])).toMatchObject([
      { ...who, security: "account.created", role: "user" },
    ]);
    expect(await run(userCommand, ["role", "By Command", "operator"])).toMatchObject([
      { ...who, security: "role.changed", role: "operator" },
    ]);
    expect(await run(userCommand, ["password", "By Command", ...file])).toMatchObject([
      { ...who, security: "password.changed" },
    ]);
    expect(await run(userCommand, ["delete", "By Command", "--yes"])).toMatchObject([
      { ...who, security: "account.deleted" },
    ]);
    expect(await run(userCommand, ["list"])).toEqual([]);
  });

  it("print their own words alone where nobody collects the log", async () => {
    const create = ["create", "Plain Words", "--password-file", "-"];
    expect(await run(userCommand, create, "text")).toEqual([]);
  });

  it("that change discounts do, too", async () => {
    await addDonateItem(site.db, "d2");
    const [saved] = await run(discountCommand, ["add", "d2", "--percent", "10"]);
    expect(saved).toMatchObject({ security: "discount.saved", by: "command" });
    expect(await run(discountCommand, ["end", saved.discount])).toMatchObject([
      { security: "discount.ended", discount: saved.discount, by: "command" },
    ]);
  });
});

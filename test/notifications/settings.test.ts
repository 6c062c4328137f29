import { createECDH, randomBytes } from "node:crypto";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { addSubscription, listSubscriptions, vapidKeys } from "../../src/notifications/push/queries.ts";
import { loadSettings, saveSettings } from "../../src/notifications/settings-queries.ts";
import { type Agent, type TestApp, useTestApp } from "../helpers/app.ts";
import { attributes, mainOf, textOf } from "../helpers/html.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const PATH = "/notifications/settings";
const DEFAULTS = {
  ...{ email: "off", digestHour: 18, push: false, feed: false, feedVersion: 1 },
  ...{ quietFrom: null, quietUntil: null },
};

const site = useTestApp({ mail: { kind: "smtp", url: "smtp://mail.test" } });
let agent: Agent;
let userId = 0;

beforeEach(async () => {
  ({ agent, id: userId } = await site.logIn());
});

async function page(): Promise<string> {
  return mainOf((await agent.get(PATH).expect(200)).text);
}

async function send(path: string, form: Record<string, unknown>) {
  await agent.post(path).type("form").send(form).expect(303).expect("Location", PATH);
}

async function confirm(email: string | null, where: TestApp = site, user = userId) {
  await where.db("users").where({ id: user }).update({ email, confirmed_email: email });
}

describe("the settings", () => {
  it("are all off by default", async () => {
    expect(await loadSettings(site.db, userId)).toEqual(DEFAULTS);
    const text = textOf(await page());
    expect(text).toContain("Turn the feed on");
    expect(text).not.toContain("Your browsers");
    // The table's defaults for a first change equal those without a row.
    await saveSettings(site.db, userId, {});
    expect(await loadSettings(site.db, userId)).toEqual(DEFAULTS);
  });

  it("keep what a change does not name, and each user's apart", async () => {
    const other = await site.createUser();
    await saveSettings(site.db, userId, { email: "daily", digestHour: 7 });
    await saveSettings(site.db, userId, { feed: true });
    await saveSettings(site.db, userId, {});
    expect(await loadSettings(site.db, userId)).toEqual({
      ...DEFAULTS,
      email: "daily",
      digestHour: 7,
      feed: true,
    });
    expect(await loadSettings(site.db, other.id)).toEqual(DEFAULTS);
  });
});

describe("e-mail", () => {
  it("needs an address that was confirmed, and says where to do it", async () => {
    await site.db("users").where({ id: userId }).update({ email: "new@example.org" });
    const html = await page();
    expect(textOf(html)).toContain("Confirm an address first");
    expect(html).toContain('href="/profile"');
    expect(html).not.toContain('name="email"');
    const { text } = await agent.post(`${PATH}/email`).type("form").send({ email: "each" }).expect(400);
    expect(textOf(text)).toContain("E-mail needs a confirmed address.");
    expect(await loadSettings(site.db, userId)).toEqual(DEFAULTS);
  });

  it.each(["off", "each", "daily"] as const)("can be %s, and the page shows it", async (email) => {
    await confirm("ann@example.org");
    await saveSettings(site.db, userId, { email: email === "off" ? "each" : "off" });
    await send(`${PATH}/email`, { email, digest_hour: "6" });
    expect(await loadSettings(site.db, userId)).toMatchObject({ email, digestHour: 6 });
    const html = await page();
    expect(html).toContain(`value="${email}" checked`);
    expect(html.match(/checked/g)).toHaveLength(1);
    expect(html).toMatch(/<option value="6" selected>06:00</);
    expect(textOf(html)).toContain("To ann@example.org");
  });

  it("has its hour in the user's zone, named", async () => {
    await confirm("ann@example.org");
    expect(textOf(await page())).toContain("In UTC.");
    await site.db("users").where({ id: userId }).update({ time_zone: "Asia/Tokyo" });
    expect(textOf(await page())).toContain("In your time zone, Asia/Tokyo.");
  });

  it.each([
    [{ email: "hourly" }, "E-mail must be one of off, each, daily."],
    [{}, "E-mail is required."],
    [{ email: "daily", digest_hour: "24" }, "Hour must be a whole number from 0 to 23."],
    [{ email: "daily", digest_hour: "-1" }, "Hour must be a whole number from 0 to 23."],
  ])("refuses %j beside the field", async (form, message) => {
    await confirm("ann@example.org");
    const { text } = await agent.post(`${PATH}/email`).type("form").send(form).expect(400);
    expect(textOf(text)).toContain(message);
    expect(await loadSettings(site.db, userId)).toEqual(DEFAULTS);
  });

  it("keeps its hour where none is sent", async () => {
    await confirm("ann@example.org");
    await saveSettings(site.db, userId, { digestHour: 9 });
    await send(`${PATH}/email`, { email: "each" });
    expect(await loadSettings(site.db, userId)).toMatchObject({ email: "each", digestHour: 9 });
  });

  it("brings a waiting daily mail forward when its hour or the time zone changes", async () => {
    await confirm("ann@example.org");
    const hour = (fromNow: number) => (new Date().getUTCHours() + 24 + fromNow) % 24;
    await saveSettings(site.db, userId, { email: "daily", digestHour: hour(-2) });
    await addDonateItem(site.db, "waiting");
    await site.db("donate_favorites").insert({ user_id: userId, item_key: "waiting" });
    await addDiscount(site.db, "waiting", "waiting");
    await notifyAll(site.db);
    const runAt = async () =>
      (await queuedJobs(site.db)).find(({ key }) => key === `digest:${userId}`)?.run_at;

    await send(`${PATH}/email`, { email: "daily", digest_hour: hour(4) });
    const inUtc = Number(await runAt());
    expect(inUtc - Date.now()).toBeLessThanOrEqual(4 * 3_600_000);
    // Lagos is an hour ahead of UTC all year.
    await agent.post("/profile/locale").type("form").send("time_zone=Africa/Lagos").expect(303);
    expect(Number(await runAt())).toBe(inUtc - 3_600_000);
  });

  it("cannot be switched on while the address is missing", async () => {
    await saveSettings(site.db, userId, { email: "each" });
    expect(textOf(await page())).toContain(
      "You asked for an e-mail for each discount and server alert; you won’t get any until then.",
    );
    await send(`${PATH}/email`, { email: "off" });
    expect(await loadSettings(site.db, userId)).toMatchObject({ email: "off" });
    expect(textOf(await page())).not.toContain("Turn e-mail off");
  });
});

describe("e-mail of a site that sends none", () => {
  const silent = useTestApp();

  it("is not offered, and cannot be switched on", async () => {
    const user = await silent.logIn();
    await confirm("ann@example.org", silent, user.id);
    const html = mainOf((await user.agent.get(PATH).expect(200)).text);
    expect(textOf(html)).toContain("This site doesn’t send e-mail.");
    expect(html).not.toContain('name="email"');
    const { text } = await user.agent.post(`${PATH}/email`).type("form").send({ email: "each" }).expect(400);
    expect(textOf(text)).toContain("E-mail isn’t possible: this site doesn’t send any.");
    expect(await loadSettings(silent.db, user.id)).toEqual(DEFAULTS);
  });
});

describe("Web Push", () => {
  async function addBrowser(browser: string | null, user = userId) {
    const endpoint = `https://push.test/${randomBytes(8).toString("hex")}`;
    const p256dh = createECDH("prime256v1").generateKeys("base64url");
    await addSubscription(site.db, user, { endpoint, p256dh, auth: "A".repeat(22), browser });
    return endpoint;
  }

  it("says without script that this browser needs one, and gives the script what it needs", async () => {
    const html = await page();
    expect(textOf(html)).toContain("Turning this on or off needs JavaScript.");
    expect(html).toMatch(/data-push-on hidden/);
    const { publicKey, privateKey } = await vapidKeys(site.db);
    expect(attributes(html, "data-push-key")).toEqual([publicKey]);
    expect(html).not.toContain(privateKey);
  });

  it("lists the user's browsers by name, never their endpoints, and removes each", async () => {
    const other = await site.createUser();
    const endpoints = [await addBrowser("Firefox on Windows"), await addBrowser(null)];
    const theirs = await addBrowser("Safari on macOS", other.id);
    const html = await page();
    expect(textOf(html)).toMatch(/Unknown browser .*Remove.* Firefox on Windows .*Remove/);
    expect(html).not.toContain("Safari");
    for (const endpoint of endpoints) expect(html).not.toContain(endpoint);
    expect(new Set(attributes(html, "data-browser")).size).toBe(2);
    const [{ id } = expect.unreachable()] = await listSubscriptions(site.db, userId);
    await send(`${PATH}/push/${id}/remove`, {});
    expect(textOf(await page())).not.toContain("Unknown browser");
    const [stranger] = await listSubscriptions(site.db, other.id);
    await agent.post(`${PATH}/push/${stranger?.id}/remove`).expect(404);
    await agent.post(`${PATH}/push/${id}/remove`).expect(404);
    await agent.post(`${PATH}/push/x/remove`).expect(404);
    expect((await listSubscriptions(site.db, other.id)).map(({ endpoint }) => endpoint)).toEqual([theirs]);
  });

  it("is paused and goes on for all browsers, and subscribing goes on too", async () => {
    await addBrowser("Chrome on Linux");
    expect(textOf(await page())).toContain("Pause push notifications");
    await send(`${PATH}/push`, { push: "off" });
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: false });
    expect(textOf(await page())).toContain("Paused: none of them get notifications.");
    expect(await listSubscriptions(site.db, userId)).toHaveLength(1);
    await send(`${PATH}/push`, { push: "on" });
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: true });
    await send(`${PATH}/push`, { push: "off" });
    await addBrowser("Firefox on Linux");
    expect(await loadSettings(site.db, userId)).toMatchObject({ push: true });
    await agent.post(`${PATH}/push`).type("form").send({ push: "maybe" }).expect(400);
  });
});

describe("the private feed", () => {
  async function link(): Promise<string | undefined> {
    return /http:\/\/almanac\.test(\/notifications\/feed\/[\w-]+\.rss)/.exec(await page())?.[1];
  }

  it("is switched on with a link that works, off, and on again", async () => {
    expect(await link()).toBeUndefined();
    await send(`${PATH}/feed`, { feed: "on" });
    const first = String(await link());
    await request(site.app).get(first).expect(200);
    await send(`${PATH}/feed`, { feed: "off" });
    expect(await link()).toBeUndefined();
    await request(site.app).get(first).expect(404);
    await send(`${PATH}/feed`, { feed: "on" });
    expect(await link()).toBe(first);
  });

  it("gets a new link that makes the old one void", async () => {
    await send(`${PATH}/feed`, { feed: "on" });
    const old = String(await link());
    await send(`${PATH}/feed`, { feed: "renew" });
    const renewed = String(await link());
    expect(renewed).not.toBe(old);
    await request(site.app).get(old).expect(404);
    await request(site.app).get(renewed).expect(200);
    await agent.post(`${PATH}/feed`).type("form").send({ feed: "x" }).expect(400);
  });
});

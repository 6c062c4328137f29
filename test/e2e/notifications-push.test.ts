import { createECDH, randomBytes } from "node:crypto";
import type { BrowserContext, Page, Worker } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { addNotification } from "../helpers/notifications.ts";

const site = useBrowserSite({ pushServices: ["push.test"] });

/** A message as src/notifications/push/sender.ts writes it. */
const MESSAGE = {
  title: "VIP Gold",
  body: "75.00 EUR, down from 100.00 EUR",
  lang: "ru",
  tag: "notification-1",
  url: "/notifications/1",
  item: "/donate/vip-gold",
};

describe("Web Push on the page of settings", () => {
  it("can be switched on for this browser, paused, and off again", async () => {
    const { page, complaints } = await visitor("subscriber");
    await fakePushService(page);
    const here = page.locator("[data-push]");
    await page.goto("/notifications/settings");
    await here.getByText("This browser doesn’t get notifications.").waitFor();
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await here.getByText("This browser gets notifications.").waitFor();
    const row = page.locator(".browsers tbody tr");
    expect(await row.locator("th").innerText()).toMatch(/^Chrome on \w+ this one$/i);
    expect(await subscriptionsOf("subscriber")).toEqual([expect.stringMatching(/^https:\/\/push\.test\//)]);

    await page.getByRole("button", { name: "Pause push notifications" }).click();
    await here.getByText("Notifications are paused, so this browser doesn’t get any.").waitFor();
    await page.getByRole("button", { name: "Resume push notifications" }).click();
    await here.getByText("This browser gets notifications.").waitFor();

    await page.getByRole("button", { name: "Turn off in this browser" }).click();
    await here.getByText("This browser doesn’t get notifications.", { exact: true }).waitFor();
    expect(await subscriptionsOf("subscriber")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is off in a browser that was removed from the list, or belongs to another account", async () => {
    const { page } = await visitor("first of two");
    await fakePushService(page);
    await page.goto("/notifications/settings");
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await page.getByRole("button", { name: /^Remove\b.*Chrome/ }).click();
    await page.locator("[data-push]").getByText("This browser doesn’t get notifications.").waitFor();
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await page.getByText("This browser gets notifications.").waitFor();
    await page.locator('form[action="/logout"] button').click();
    await register(page, "second of two");
    await page.goto("/notifications/settings");
    await page.locator("[data-push]").getByText("This browser doesn’t get notifications.").waitFor();
  });

  it("shows why it failed, and can be retried", async () => {
    const { page } = await visitor("unlucky");
    await fakePushService(page, "https://elsewhere.test/");
    await page.goto("/notifications/settings");
    const button = page.getByRole("button", { name: "Turn on in this browser" });
    await button.click();
    await page.getByText("endpoint must be an https address of a known push service").waitFor();
    expect(await button.isEnabled()).toBe(true);
    expect(await subscriptionsOf("unlucky")).toEqual([]);
  });

  it("gives up on a push service that does not answer, and can be retried", async () => {
    const { page } = await visitor("unheard");
    await fakePushService(page);
    await page.clock.install();
    await page.goto("/notifications/settings");
    await page.evaluate(() => {
      const answers = PushManager.prototype.subscribe;
      PushManager.prototype.subscribe = () => {
        PushManager.prototype.subscribe = answers;
        return new Promise(() => undefined);
      };
    });
    const here = page.locator("[data-push]");
    const button = page.getByRole("button", { name: "Turn on in this browser" });
    await button.click();
    await here.getByText("Asking…").waitFor();
    await page.clock.fastForward(19_000);
    expect(await button.isDisabled()).toBe(true);
    await page.clock.fastForward(2_000);
    await here.getByText("this browser’s push service isn’t responding").waitFor();
    expect(await button.isEnabled()).toBe(true);
    await button.click();
    await here.getByText("This browser gets notifications.").waitFor();
    expect(await subscriptionsOf("unheard")).toHaveLength(1);
  });

  it("explains that the browser blocks notifications, or does not support them", async () => {
    const { page, context } = await visitor("blocked");
    const says = async (text: RegExp, script: string) => {
      const other = await context.newPage();
      await other.addInitScript(script);
      await other.goto("/notifications/settings");
      await other.locator("[data-push]").getByText(text).waitFor();
      expect(await other.locator("[data-push] button:visible").count()).toBe(0);
      await other.close();
    };
    await says(
      /blocks notifications/,
      "Object.defineProperty(Notification, 'permission', { value: 'denied' })",
    );
    await says(/doesn’t support push notifications/, "delete window.PushManager");
    await says(
      /only allow notifications on HTTPS sites/,
      "Object.defineProperty(window, 'isSecureContext', { value: false })",
    );
    await page.close();
  });
});

describe("the service worker", () => {
  it("shows a pushed message, replaces it by its repeat, and adds another one beside it", async () => {
    const { push, shown } = await workerOf("watcher");
    await push(JSON.stringify(MESSAGE));
    const { title, body, tag, lang, url, item } = MESSAGE;
    expect(await shown(1)).toEqual([{ title, body, tag, lang, data: { url, item } }]);
    await push(JSON.stringify({ ...MESSAGE, body: "70.00 EUR" }));
    await push(JSON.stringify({ ...MESSAGE, tag: "notification-2", title: "Other" }));
    const both = await shown(3);
    expect(both.map((notification) => [notification.tag, notification.title, notification.body])).toEqual([
      ["notification-1", "VIP Gold", "70.00 EUR"],
      ["notification-2", "Other", MESSAGE.body],
    ]);
  });

  it("opens a clicked notification, which is read then and leads to its item, and never another site", async () => {
    const { page, click, userId } = await workerOf("clicker");
    const { id } = await addNotification(site.database.db, userId, "vip-gold");
    await page.goto("/nicknames");
    const url = `/notifications/${id}`;
    const opened = await click({ url, item: "/donate/vip-gold" });
    expect(opened).toEqual({ opened: `${site.url}${url}`, focused: null });
    for (const url of ["https://evil.test/x", "//evil.test/x", "javascript:alert(1)", "https://:"])
      expect(await click({ url })).toEqual({ opened: `${site.url}/notifications`, focused: null });
    // Only a real click may open a window: the test goes where the worker would.
    await page.goto(String(opened.opened));
    expect(page.url()).toBe(`${site.url}/donate/vip-gold`);
    expect(await isRead(id)).toBe(true);
  });

  it("focuses a window that shows the item already, in any language, and marks the notification as read", async () => {
    const { page, click, userId } = await workerOf("focuser");
    for (const prefix of ["", "/ru"]) {
      const { id } = await addNotification(site.database.db, userId, "vip-gold");
      await page.goto(`${prefix}/donate/vip-gold#prices`);
      const clicked = await click({ url: `/notifications/${id}`, item: "/donate/vip-gold" });
      expect(clicked).toEqual({ opened: null, focused: `${site.url}${prefix}/donate/vip-gold#prices` });
      expect(await isRead(id)).toBe(true);
    }
  });

  it("reports a renewed subscription to the site, and renews it if nobody did", async () => {
    const name = "renewer";
    const { page, worker } = await workerOf(name);
    await fakePushService(page);
    await page.goto("/notifications/settings");
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await page.getByText("This browser gets notifications.").waitFor();
    const [old = ""] = await subscriptionsOf(name);
    const change = (fields: string) => dispatch(worker, "pushsubscriptionchange", fields);
    const renewed = newSubscription();
    await change(`{
      oldSubscription: { endpoint: ${JSON.stringify(old)} },
      newSubscription: { toJSON: () => (${JSON.stringify(renewed)}) },
    }`);
    expect(await subscriptionsOf(name)).toEqual([renewed.endpoint]);
    const again = newSubscription();
    // Without a word of the old one: under the site's key, beside what is stored.
    await worker.evaluate(`PushManager.prototype.subscribe = async (options) => {
      self.askedFor = options;
      return { toJSON: () => (${JSON.stringify(again)}) };
    }`);
    await change("{ oldSubscription: null, newSubscription: null }");
    expect(await worker.evaluate("self.askedFor")).toEqual({
      userVisibleOnly: true,
      applicationServerKey: expect.stringMatching(/^B[\w-]{86}$/),
    });
    expect((await subscriptionsOf(name)).sort()).toEqual([again.endpoint, renewed.endpoint].sort());
  });

  it("subscribes again if the site has another key than before", async () => {
    const name = "follower";
    const { page, worker } = await workerOf(name);
    await fakePushService(page);
    await page.goto("/notifications/settings");
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await page.getByText("This browser gets notifications.").waitFor();
    const [old = ""] = await subscriptionsOf(name);
    const renewed = newSubscription();
    /** The worker's subscription, made with a key; records which one replaces it. */
    const subscribedWith = (endpoint: string, key: string) =>
      worker.evaluate(`{
        const bytes = Uint8Array.from(atob(${JSON.stringify(key)}.replaceAll("-", "+").replaceAll("_", "/")),
          (letter) => letter.charCodeAt(0));
        self.askedFor = self.left = null;
        PushManager.prototype.getSubscription = async () => ({
          endpoint: ${JSON.stringify(endpoint)},
          options: { applicationServerKey: bytes.buffer },
          unsubscribe: async () => { self.left = ${JSON.stringify(endpoint)}; },
        });
        PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
          self.askedFor = applicationServerKey;
          return { toJSON: () => (${JSON.stringify(renewed)}) };
        };
      }`);
    const siteKey: string = await worker.evaluate(
      "fetch('/notifications/push').then((answer) => answer.json()).then((key) => key.application_server_key)",
    );
    await subscribedWith(old, siteKey);
    await dispatch(worker, "message", `{ data: { language: "en" } }`);
    expect(await worker.evaluate("[self.left, self.askedFor]")).toEqual([null, null]);
    expect(await subscriptionsOf(name)).toEqual([old]);

    const [{ endpoint: moved }] = await site.database
      .db("push_subscriptions")
      .where({ endpoint: old })
      .update({ endpoint: `${old}2` })
      .returning("endpoint");
    await subscribedWith(moved, createECDH("prime256v1").generateKeys("base64url"));
    await dispatch(worker, "message", `{ data: { language: "en" } }`);
    expect(await worker.evaluate("[self.left, self.askedFor]")).toEqual([moved, siteKey]);
    expect(await subscriptionsOf(name)).toEqual([renewed.endpoint]);
  });
});

/** A logged-in user's browser that may show notifications. */
async function visitor(name: string) {
  const visit = await site.visit();
  await visit.context.grantPermissions(["notifications"], { origin: site.url });
  await register(visit.page, name);
  return visit;
}

/** The same with the service worker at work, and what a push service and a user do to it. */
async function workerOf(name: string) {
  const { page, context } = await visitor(name);
  await page.goto("/nicknames");
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    cdp.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      const active = versions.find(({ status }) => status === "activated");
      if (active) resolve(active.registrationId);
    });
  });
  await cdp.send("ServiceWorker.enable");
  await page.evaluate(() => navigator.serviceWorker.register("/service-worker.js"));
  const registrationId = await registered;
  const worker = workerIn(context);
  await countShown(worker);
  const { id: userId } = await site.database.db("users").where({ name }).first("id");
  return {
    page,
    context,
    worker,
    userId,
    push: (data: string) =>
      cdp.send("ServiceWorker.deliverPushMessage", { origin: site.url, registrationId, data }),
    shown: (pushes: number) => shownBy(worker, pushes),
    click: (data: Record<string, string>) => clickNotification(worker, data),
  };
}

function workerIn(context: BrowserContext): Worker {
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error("no service worker runs");
  return worker;
}

interface Shown {
  title: string;
  body: string;
  tag: string;
  lang: string;
  data: { url: string; item?: string };
}

/**
 * Counts what the worker has shown. Do not query Chromium for its notifications while one is on its way, because it
 * drops those that are not on the screen yet.
 */
async function countShown(worker: Worker): Promise<void> {
  await worker.evaluate(`{
    self.shown = 0;
    const show = ServiceWorkerRegistration.prototype.showNotification;
    ServiceWorkerRegistration.prototype.showNotification = async function (...notification) {
      await show.apply(this, notification);
      self.shown += 1;
    };
  }`);
}

/** The notifications that the browser shows after so many pushes, by their tags. */
async function shownBy(worker: Worker, pushes: number): Promise<Shown[]> {
  await expect.poll(() => worker.evaluate("self.shown")).toBe(pushes);
  const shown: Shown[] = await worker.evaluate(`self.registration.getNotifications().then((shown) =>
    shown.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data })))`);
  return shown.sort((a, b) => (a.tag < b.tag ? -1 : 1));
}

/**
 * A click on a notification, as far as a browser without a display gets: what the worker would have opened or focused.
 */
async function clickNotification(worker: Worker, data: Record<string, string>) {
  await worker.evaluate(`{
    self.clicked = { opened: null, focused: null };
    Clients.prototype.openWindow = async (url) => void (self.clicked.opened = url);
    WindowClient.prototype.focus = async function () { self.clicked.focused = this.url; };
  }`);
  const notification = `{ close: () => { self.closed = true; }, data: ${JSON.stringify(data)} }`;
  await dispatch(worker, "notificationclick", `{ notification: ${notification} }`);
  expect(await worker.evaluate("self.closed")).toBe(true);
  const clicked: { opened: string | null; focused: string | null } = await worker.evaluate("self.clicked");
  return clicked;
}

/** An event of the browser's own making, waited for as the browser does; `fields` is the source of an object. */
async function dispatch(worker: Worker, type: string, fields: string): Promise<void> {
  await worker.evaluate(`(async () => {
    const work = [];
    const event = new Event(${JSON.stringify(type)});
    Object.assign(event, ${fields}, { waitUntil: (promise) => work.push(promise) });
    self.dispatchEvent(event);
    await Promise.all(work);
  })()`);
}

/** Stands for the browser's vendor, which cannot be reached from here: a subscription that outlives the page. */
async function fakePushService(page: Page, service = "https://push.test/"): Promise<void> {
  const { keys } = newSubscription();
  await page.addInitScript(
    ({ service, keys }) => {
      const read = () => {
        const endpoint = localStorage.getItem("endpoint");
        if (endpoint === null) return null;
        const unsubscribe = async () => localStorage.removeItem("endpoint");
        return { endpoint, unsubscribe, toJSON: () => ({ endpoint, expirationTime: null, keys }) };
      };
      Object.assign(PushManager.prototype, {
        getSubscription: async () => read(),
        subscribe: async () => {
          localStorage.setItem("endpoint", `${service}${crypto.randomUUID()}`);
          return read();
        },
      });
    },
    { service, keys },
  );
}

function newSubscription() {
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  const keys = { p256dh, auth: randomBytes(16).toString("base64url") };
  return { endpoint: `https://push.test/${randomBytes(8).toString("hex")}`, expirationTime: null, keys };
}

async function subscriptionsOf(name: string): Promise<string[]> {
  const { db } = site.database;
  const { id } = await db("users").where({ name }).first("id");
  return db("push_subscriptions").where({ user_id: id }).pluck("endpoint");
}

async function isRead(id: number): Promise<boolean> {
  return (await site.database.db("notifications").where({ id }).first("read_at")).read_at !== null;
}

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { addNotifyJobs, notifyTasks } from "../../src/notifications/notify.ts";
import { listSubscriptions } from "../../src/notifications/push/queries.ts";
import { createPushSender } from "../../src/notifications/push/sender.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { queuedJobs, runJobs } from "../helpers/jobs.ts";
import { senderTasks } from "../helpers/notify.ts";
import { accept, type PushBrowser, type PushService, startPushService } from "../helpers/peers/push.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

/** The service's host, once it listens. */
const pushServices: string[] = [];
const site = useTestApp({ pushServices });
let service: PushService;
let agent: Agent;
let userId = 0;
let browser: PushBrowser;

beforeAll(async () => {
  service = await startPushService();
  pushServices.push(service.host);
});

afterAll(() => service.close());

/** A user with a favorite item and a subscribed browser, before anything is discounted. */
beforeEach(async () => {
  service.received.length = 0;
  service.mood = accept;
  await site.db("donate_items").delete();
  await addDonateItem(site.db, "vip", { name: "VIP Gold", names: JSON.stringify({ ru: "ВИП" }) });
  ({ agent, id: userId } = await site.logIn());
  await agent.post("/api/donate_favorites/toggle").send({ item_key: "vip" }).expect(200);
  const { body } = await agent.get("/notifications/push").expect(200);
  browser = service.subscribe(body.application_server_key);
  await agent.post("/notifications/push").send(browser.subscription).expect(201);
});

/** Begins a discount and works on all that follows from it. */
async function beginDiscount(id: string): Promise<void> {
  const { db } = site;
  await addDiscount(db, id, "vip");
  await addNotifyJobs(db);
  const push = createPushSender({
    db,
    site: { baseUrl: "https://almanac.test" },
    pushServices,
    egress: LOOPBACK,
    agent: service.agent,
  });
  const email = () => Promise.reject(new Error("nobody asked for mail"));
  runJobs(db, { ...notifyTasks({ db }), ...senderTasks(db, { email, push }) });
}

/** How the user's deliveries stand, once none is on its way. */
async function settled(): Promise<{ state: string; attempts: number }[]> {
  await expect.poll(() => queuedJobs(site.db)).toEqual([]);
  return site.db("deliveries").where({ user_id: userId }).select("state", "attempts");
}

it("a discount reaches the browser once, in the user's language, and its link leads to the item", async () => {
  await site.db("users").where({ id: userId }).update({ language: "ru" });
  await beginDiscount("sale");
  expect(await settled()).toEqual([{ state: "sent", attempts: 1 }]);
  expect(service.received).toHaveLength(1);
  const [{ data, ...got } = expect.unreachable()] = service.received;
  expect(got.browser).toBe(browser);
  expect(data).toMatchObject({ title: "ВИП", lang: "ru", body: expect.stringContaining("вместо") });
  await agent.get(String(data.url)).expect(303).expect("Location", "/donate/vip");
  expect((await agent.get("/")).text).toContain('class="count" hidden');
});

it("a browser that has unsubscribed leaves the list, without a dead letter", async () => {
  service.forget(browser);
  await beginDiscount("sale");
  expect(await settled()).toEqual([]);
  expect(await listSubscriptions(site.db, userId)).toEqual([]);
  expect(await site.db("notifications").where({ user_id: userId })).toHaveLength(1);
});

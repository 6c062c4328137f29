import request from "supertest";
import { describe, expect, it } from "vitest";
import { SHARED } from "../../src/web/answers/cache-policy.ts";
import { useTestApp } from "../helpers/app.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";
import { addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();

const PASSWORD = "correct horse battery";
let people = 0;

async function registered(form: Record<string, string> = {}, headers: Record<string, string> = {}) {
  people += 1;
  await site.db("rate_limits").delete();
  const name = `Somebody ${people}`;
  await site.post("/register", { name, password: PASSWORD, ...form }, headers).expect(303);
  return site.db("users").where({ name }).first("language", "time_zone");
}

describe("the language of a new account", () => {
  it.each([
    ["ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "ru"],
    ["de-DE,de;q=0.9,ru;q=0.5,en;q=0.3", "ru"],
    ["de-DE,de", null],
    ["*", "en"],
    [";;;,q=", null],
  ])("of a browser that asks for %j is %j", async (asked, language) => {
    expect((await registered({}, { "Accept-Language": asked })).language).toBe(language);
  });

  it("is not told by a browser that asks for none", async () => {
    expect((await registered()).language).toBeNull();
  });
});

describe("the time zone of a new account", () => {
  it.each([
    ["Asia/Katmandu", "Asia/Kathmandu"],
    ["UTC", "UTC"],
    ["Nowhere/At_All", null],
    ["+05:45", null],
    ["", null],
    ["a".repeat(10_000), null],
  ])("that the browser calls %j is %j, and never keeps anybody out", async (typed, zone) => {
    expect((await registered({ time_zone: typed })).time_zone).toBe(zone);
  });

  it("comes from a hidden field, which keeps its value over an error", async () => {
    const page = await request(site.app).get("/register");
    expect(page.text).toContain('<input type="hidden" name="time_zone" value="" data-browser-zone>');
    const form = { name: "x", password: PASSWORD, time_zone: "Asia/Kathmandu" };
    const refused = await site.post("/register", form).expect(400);
    expect(refused.text).toContain('name="time_zone" value="Asia/Kathmandu"');
  });
});

describe("language and time zone in the profile", () => {
  it("are saved, shown as chosen, and taken back", async () => {
    const { id, agent } = await site.logIn();
    const save = (form: object) => agent.post("/profile/locale").type("form").send(form);
    const stored = () => site.db("users").where({ id }).first("language", "time_zone");
    await save({ language: "ru", time_zone: "America/St_Johns" }).expect(303);
    expect(await stored()).toEqual({ language: "ru", time_zone: "America/St_Johns" });
    const page = await agent.get("/profile");
    expect(page.text).toContain('<option value="ru" selected>Русский</option>');
    expect(page.text).toContain('<option value="America/St_Johns" selected>Сент-Джонс</option>');
    await save({ language: "", time_zone: "" }).expect(303);
    expect(await stored()).toEqual({ language: null, time_zone: null });
  });

  it.each([
    [{ language: "xx" }, "Language must be one of en, ru."],
    [{ time_zone: "Nowhere/At_All" }, "Time zone must be chosen from the list."],
    [{ time_zone: "+05:45" }, "Time zone must be chosen from the list."],
  ])("refuse %j, and say so beside the field", async (form, message) => {
    const { id, agent } = await site.logIn();
    const page = await agent.post("/profile/locale").type("form").send(form).expect(400);
    expect(textOf(page.text)).toContain(message);
    const row = await site.db("users").where({ id }).first("language", "time_zone");
    expect(row).toEqual({ language: null, time_zone: null });
  });

  it("offer every zone once, by region, also one that Intl does not list", async () => {
    const { id, agent } = await site.logIn();
    await site.db("users").where({ id }).update({ time_zone: "Etc/GMT+5" });
    const { text } = await agent.get("/profile");
    const [select] = elements(text, "select").filter((body) => body.includes("optgroup"));
    const zones = attributes(String(select), "value").filter((value) => value !== "");
    expect(new Set(zones).size).toBe(zones.length);
    expect(zones.length).toBeGreaterThan(400);
    expect(zones).toEqual(expect.arrayContaining(["UTC", "Europe/Kyiv", "Asia/Kolkata", "Etc/GMT+5"]));
    expect(zones).not.toContain("Europe/Kiev");
    expect(attributes(String(select), "label")).toContain("Europe");
    expect(text).toContain('<option value="Etc/GMT+5" selected>');
  });
});

describe("times on pages", () => {
  /** The hour that clocks in New York show twice. */
  const AT = "2026-11-01T05:30:00Z";
  const WRITTEN = `<time datetime="${new Date(AT).toISOString()}">`;

  async function addItem(): Promise<string> {
    people += 1;
    await addEntity(site.db, "items", `item-${people}`, { created_at: AT, updated_at: AT });
    return `/items/item-${people}`;
  }

  it.each([
    ["Asia/Kathmandu", "1\u00a0Nov\u00a02026, 11:15\u00a0UTC+5:45"],
    ["UTC", "1\u00a0Nov\u00a02026, 05:30\u00a0UTC"],
  ])("are in the zone that a user has chosen, with its name: %s", async (zone, text) => {
    const { id, agent } = await site.logIn();
    await site.db("users").where({ id }).update({ time_zone: zone });
    const page = await agent.get(await addItem()).expect(200);
    expect(page.text).toContain(`${WRITTEN}${text}</time>`);
    expect(page.text).toContain(`<html lang="en" dir="ltr" data-prefix="" data-time-zone="${zone}">`);
    expect(textOf(page.text)).toContain(`Times are in ${zone}.`);
    expect(page.headers["cache-control"]).toBe("private, no-cache");
  });

  it("are UTC for who has chosen none, for script to make them the browser's", async () => {
    const { agent } = await site.logIn();
    const page = await agent.get(await addItem());
    expect(page.text).toContain(`${WRITTEN}1\u00a0Nov\u00a02026, 05:30\u00a0UTC</time>`);
    expect(page.text).toContain('<html lang="en" dir="ltr" data-prefix="">');
  });

  it("are the same for all visitors, so that caches may share the page", async () => {
    const path = await addItem();
    const pages = [];
    for (const language of ["de", "ne-NP", "en-CA"]) {
      pages.push(await request(site.app).get(path).set("Accept-Language", language).expect(200));
    }
    for (const { headers, text } of pages) {
      expect(headers["cache-control"]).toBe(SHARED);
      expect(headers.vary).toBe("Accept-Encoding, Cookie, Accept-Language");
      expect(headers.etag).toBe(pages[0]?.headers.etag);
      expect(text).toBe(pages[0]?.text);
    }
    expect(pages[0]?.text).toContain(`${WRITTEN}1\u00a0Nov\u00a02026, 05:30\u00a0UTC</time>`);
    expect(pages[0]?.text).toContain(">Times are in UTC.</span>");
  });

  it("are UTC in feeds and under /api, whoever asks", async () => {
    await site.db("items").delete();
    const [far, near] = [await site.logIn(), await site.logIn()];
    await site.db("users").where({ id: far.id }).update({ time_zone: "Asia/Kathmandu" });
    await addItem();
    await addServer(site.db, "s", { status: "online", online: 1, checked_at: AT, last_online_at: AT });
    for (const path of ["/items.rss", "/discounts.rss", "/api/online"]) {
      const [own, other] = [await far.agent.get(path).expect(200), await near.agent.get(path)];
      expect(own.text, path).toBe(other.text);
    }
    expect((await far.agent.get("/api/online")).body.generated_at).toBe(new Date(AT).toISOString());
    expect((await far.agent.get("/items.rss")).text).toContain("Sun, 01 Nov 2026 05:30:00 GMT");
  });
});

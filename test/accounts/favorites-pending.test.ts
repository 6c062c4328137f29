import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { parsePending, pendingText } from "../../src/accounts/favorites/pending-favorite.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { decode, elements, textOf } from "../helpers/html.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();

const ODD_ID = "a:b/c ?#&=%20+'\"<>\\ 日";

beforeAll(async () => {
  const names = { ru: "Вещь", en: "Thing" };
  await addServer(site.db, "s1", { name: "Thing" });
  await addDonateItem(site.db, "d1", { name: "Thing", names });
  for (const table of BUILT_IN_KINDS) {
    await addEntity(site.db, table, "e1", { name: "Thing", names });
  }
  await addEntity(site.db, "items", ODD_ID, { name: "Odd" });
});

/** A thing of each table, with the page that it is on. */
const PENDING = [
  ["server:s1", "/servers/s1", "server_favorites"],
  ["donate:d1", "/donate/d1", "donate_favorites"],
  ["item:e1", "/items/e1", "entity_favorites"],
  ["house:e1", "/houses/e1", "entity_favorites"],
] as const;

const HOSTILE = [
  "",
  "item:",
  "item:none",
  "constructor:e1",
  "ITEM:e1",
  "item:e1\0",
  `item:${"x".repeat(201)}`,
];

async function favoritesOf(userId: number): Promise<number> {
  const tables = ["server_favorites", "donate_favorites", "entity_favorites"];
  const counts = tables.map((table) =>
    site.db(table).where({ user_id: userId }).count({ rows: "*" }).first(),
  );
  return (await Promise.all(counts)).reduce((sum, counted) => sum + Number(counted?.rows), 0);
}

/** The link of the star that a visitor sees on a page. */
async function starOn(agent: Agent, path: string): Promise<string> {
  const page = await agent.get(path).expect(200);
  const link = /<a class="button is-small" href="([^"]*\/login[^"]*)"/.exec(page.text)?.[1] ?? "";
  return link.replaceAll("&amp;", "&");
}

/** What the hidden fields of the form on a page would send. */
function hiddenFields(page: request.Response): Record<string, string> {
  const found = page.text.matchAll(/<input type="hidden" name="(next|favorite)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, value = ""]) => [name, decode(value)]));
}

const post = (agent: Agent, path: string, form: object) => agent.post(path).type("form").send(form);

const flashOf = (page: request.Response) => textOf(elements(page.text, "main").join("")).replace(/\s+/g, " ");

describe.each(PENDING)("a visitor's %s", (pending, path, table) => {
  it("is carried through the log-in form, added by it, told and undone", async () => {
    const { id, name, password } = await site.createUser();
    const agent = site.agent();
    const page = await agent.get(await starOn(agent, path)).expect(200);
    expect(textOf(page.text)).toContain("Log in, and Thing will be added to your favorites.");
    const fields = hiddenFields(page);
    expect(fields).toEqual({ next: path, favorite: pending });
    await post(agent, "/login", { name, password, ...fields })
      .expect(303)
      .expect("Location", path);
    expect(await site.db(table).where({ user_id: id })).toHaveLength(1);
    const back = await agent.get(path).expect(200);
    expect(flashOf(back)).toContain("Thing was added to your favorites. Undo");
    expect(back.text).toContain('aria-pressed="true"');
    const [undo = ""] = /<form method="post" action="\/api[\s\S]*?<\/form>/.exec(back.text) ?? [];
    const sent = [...undo.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, key, value]) => [key, value]);
    const action = /action="([^"]*)"/.exec(undo)?.[1] ?? "";
    await post(agent, action, Object.fromEntries(sent)).set("Accept", "text/html").expect(303);
    expect(await favoritesOf(id)).toBe(0);
  });

  it("is carried on to registration, and added with the account", async () => {
    const agent = site.agent();
    const logIn = await agent.get(await starOn(agent, `/ru${path}`)).expect(200);
    const link = /href="(\/ru\/register\?next[^"]*)"/.exec(logIn.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const page = await agent.get(link).expect(200);
    const shown = pending.startsWith("server") ? "Thing" : "Вещь";
    expect(textOf(page.text)).toContain(`Зарегистрируйтесь, и ${shown} сразу окажется в избранном.`);
    const name = `new ${pending}`.replace(":", " ");
    await post(agent, "/ru/register", { name, password: "a long password", ...hiddenFields(page) })
      .expect(303)
      .expect("Location", `/ru${path}`);
    const back = await agent.get(`/ru${path}`).expect(200);
    expect(flashOf(back)).toContain(`Учётная запись готова. В избранное добавлено: ${shown}. Отменить`);
    const user = await site.db("users").where({ name }).first("id");
    expect(await favoritesOf(Number(user.id))).toBe(1);
  });

  it("is the record of a form whose session has ended", async () => {
    const { agent } = await site.logIn();
    const page = await agent.get(path);
    const [form = ""] = /<form class="favorite"[\s\S]*?<\/form>/.exec(page.text) ?? [];
    const sent = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, key, value]) => [key, value]);
    const action = /action="([^"]*)"/.exec(form)?.[1] ?? "";
    const browser = {
      Accept: "text/html",
      Cookie: "almanac.sid=ended",
      Host: "almanac.test",
      Referer: `http://almanac.test${path}`,
    };
    const late = (fields: object) => site.post(action, fields, browser).expect(303);
    const fields = Object.fromEntries(sent);
    const { headers } = await late(fields);
    const address = new URL(String(headers.location), "http://almanac.test");
    expect(Object.fromEntries(address.searchParams)).toEqual({ next: path, ended: "yes", favorite: pending });
    const logIn = await request(site.app).get(address.pathname + address.search);
    expect(textOf(logIn.text)).toContain("Your session has ended. Log in, and Thing will be added");
    expect((await late({ ...fields, wanted: "no" })).headers.location).not.toContain("favorite");
    expect((await late({ ...fields, wanted: "x" })).headers.location).not.toContain("favorite");
  });
});

describe("a pending favorite", () => {
  it("outlives wrong passwords and names that are taken", async () => {
    const { name, password, id } = await site.createUser();
    const agent = site.agent();
    const pending = { next: "/items/e1", favorite: "item:e1" };
    const refusals = [
      await post(agent, "/login", { name, password: "wrong one", ...pending }).expect(401),
      await post(agent, "/login", { name, password: "", ...pending }).expect(400),
      await post(agent, "/register", { name, password: "a long password", ...pending }).expect(400),
    ];
    for (const page of refusals) {
      expect(hiddenFields(page)).toEqual(pending);
      expect(textOf(page.text)).toContain("Thing will be added to your favorites.");
    }
    expect(await favoritesOf(id)).toBe(0);
    await post(agent, "/login", { name, password, ...hiddenFields(refusals[0] as request.Response) });
    expect(await favoritesOf(id)).toBe(1);
  });

  it("is not granted by a link to a logged-in user, who has to press a button", async () => {
    const { id, agent } = await site.logIn();
    for (const path of ["/login", "/register"]) {
      const query = { next: "/items/e1", favorite: "item:e1" };
      await agent.get(path).query(query).expect(303).expect("Location", "/items/e1");
      expect(await favoritesOf(id)).toBe(0);
    }
    await agent.get("/login").query({ next: "/items/e1", favorite: "item:e1" });
    const page = await agent.get("/items/e1");
    expect(flashOf(page)).toContain("Press the star to add Thing to your favorites.");
    expect(page.text).toContain('aria-pressed="false"');
  });

  it("is not granted by another site, nor from the address of the form", async () => {
    const { id, name, password } = await site.createUser();
    const form = { name, password, favorite: "item:e1" };
    const cross = post(site.agent(), "/login", form).set("Sec-Fetch-Site", "cross-site");
    await cross.expect(403);
    await post(site.agent(), "/login?favorite=item:e1", { name, password }).expect(303);
    expect(await favoritesOf(id)).toBe(0);
  });

  it("does not take away what was a favorite before, nor offers to", async () => {
    const { id, name, password } = await site.createUser();
    const form = { name, password, next: "/items/e1", favorite: "item:e1" };
    for (const offers of [true, false]) {
      const agent = site.agent();
      await post(agent, "/login", form).expect(303);
      const page = await agent.get("/items/e1");
      expect(flashOf(page)).toContain("Thing was added to your favorites.");
      expect(flashOf(page).includes("Undo")).toBe(offers);
      expect(await favoritesOf(id)).toBe(1);
    }
  });

  it("leads to its thing where no page to go back to is known", async () => {
    const { name, password } = await site.createUser();
    await post(site.agent(), "/ru/login", { name, password, favorite: "house:e1" })
      .expect(303)
      .expect("Location", "/ru/houses/e1");
  });

  it.each(HOSTILE)("that cannot be meant is dropped: %j", async (favorite) => {
    const page = await request(site.app).get("/login").query({ favorite }).expect(200);
    expect(hiddenFields(page)).toEqual({});
    expect(page.text).not.toContain("will be added");
  });

  it.each(["item:none", "item:e1\0"])(
    "that cannot be meant lets the log-in through: %j",
    async (favorite) => {
      const { id, name, password } = await site.createUser();
      const agent = site.agent();
      await post(agent, "/login", { name, password, next: "/items", favorite })
        .expect(303)
        .expect("Location", "/items");
      expect(await favoritesOf(id)).toBe(0);
      expect(flashOf(await agent.get("/items"))).not.toContain("favorites.");
    },
  );

  it("is dropped where it is sent twice or as something else", async () => {
    const { id, name, password } = await site.createUser();
    await request(site.app).get("/login?favorite=item:e1&favorite=item:e1").expect(200);
    for (const favorite of [["item:e1"], { kind: "item" }]) {
      await site.agent().post("/login").send({ name, password, favorite }).expect(303);
    }
    expect(await favoritesOf(id)).toBe(0);
  });

  it("is text on every page, whatever its id", async () => {
    const { id, name, password } = await site.createUser();
    const pending = pendingText({ kind: "item", id: ODD_ID });
    expect(parsePending(pending)).toEqual({ kind: "item", id: ODD_ID });
    const agent = site.agent();
    const page = await agent.get(await starOn(agent, `/items/${encodeURIComponent(ODD_ID)}`)).expect(200);
    const fields = hiddenFields(page);
    expect(fields.favorite).toBe(pending);
    await post(agent, "/login", { name, password, ...fields }).expect(303);
    expect(await favoritesOf(id)).toBe(1);
  });
});

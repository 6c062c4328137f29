import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { mainOf, plainSpaces, textOf } from "../helpers/html.ts";
import { kind, makeTables, QUESTS, useOwnKinds } from "../helpers/own-kinds.ts";

const QUESTS_OF_TEST = [
  {
    id: "wolves",
    name: "Hunt the wolves",
    names: { ru: "Охота на волков" },
    category: "Hunting",
    attributes: { level: 5, region: "North" },
  },
  { id: "relic", name: "The lost relic", category: "Story", attributes: { level: 12, region: "South" } },
  { id: "mine", name: "The old mine", category: "Story", attributes: { level: 7, region: "North" } },
];

const file = useOwnKinds();
let vocabulary: LiveVocabulary;
const site = useTestApp({}, () => {
  vocabulary = new LiveVocabulary({ file: file.path });
  return { vocabulary };
});

beforeAll(() => makeTables(site.db));
beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate quests, camps, relations cascade");
  await insertRecords(site.db, "items", [{ id: "claw", name: "Wolf claw" }]);
  await insertRecords(site.db, kind("quests"), QUESTS_OF_TEST);
  await insertRecords(site.db, kind("camps"), [{ id: "north", attributes: { x: 10, y: 20 } }]);
});

const page = async (path: string) => (await request(site.app).get(path).expect(200)).text;
const text = async (path: string) => plainSpaces(textOf(mainOf(await page(path))));

describe("pages of a kind of the operator's own", () => {
  it("list its entries with filters and columns, in both languages", async () => {
    const english = await text("/quests");
    expect(english).toContain("Quests");
    expect(english).toContain("3 quests");
    expect(english).toContain("Hunt the wolves");
    expect(english).toMatch(/Level.*Region|Region.*Level/);
    const russian = await text("/ru/quests");
    expect(russian).toContain("Квесты");
    expect(russian).toContain("3 квеста");
    expect(russian).toContain("Охота на волков");
    expect(russian).toContain("Уровень");
    const filtered = await text("/quests?a.region=North");
    expect(filtered).toContain("Hunt the wolves");
    expect(filtered).not.toContain("The lost relic");
  });

  it("show an entry with its attributes, its kind and what can be done with it", async () => {
    const html = await page("/ru/quests/wolves");
    expect(html).toMatch(/<title>Охота на волков · Квесты/);
    const shown = plainSpaces(textOf(mainOf(html)));
    expect(shown).toContain("Квест");
    expect(shown).toContain("Уровень 5");
    expect(shown).toContain("Регион Север");
    expect(html).toContain("/ru/compare/quests?id=wolves");
    expect(html).toContain('href="/ru/login?next=%2Fru%2Fquests%2Fwolves&amp;favorite=quest%3Awolves"');
    await request(site.app)
      .get("/quests/nothing")
      .expect(404, /Quest not found/);
    await request(site.app)
      .get("/ru/quests/nothing")
      .expect(404, /Квест: такой записи нет/);
  });

  it("compare entries, show cards and draw maps, for the kinds that can", async () => {
    const compared = await text("/compare/quests?id=wolves&id=relic");
    expect(compared).toContain("Compare quests");
    expect(compared).toContain("North South");
    expect(await page("/quests/wolves/card")).toContain("Hunt the wolves");
    expect(await text("/ru/camps/map")).toContain("Camps на карте");
    await request(site.app).get("/quests/map").expect(404);
    await request(site.app).get("/compare/camps").expect(404);
  });

  it("stand in the navigation, on the home page and in the sitemap", async () => {
    expect(await page("/ru/servers")).toMatch(/<a href="\/ru\/quests">Квесты<\/a>/);
    expect(await text("/")).toContain("Quests 3");
    const { text: sitemap } = await request(site.app).get("/sitemap.xml").expect(200);
    for (const path of ["/quests", "/quests/wolves", "/camps/north"])
      expect(sitemap).toContain(`<loc>http://almanac.test${path}</loc>`);
  });

  it("have a picture of their own and a colour where records have none", async () => {
    const html = await page("/quests");
    expect(html).toContain('data-kind="quests"');
    expect(html).toContain("#scroll");
    const [, sheet = ""] = /href="([^"]*tints[^"]*)"/.exec(html) ?? [];
    const { text: style } = await request(site.app).get(sheet).expect(200);
    expect(style).toMatch(/\[data-kind="quests"\]\{--kind:light-dark\(#[0-9a-f]{6},#[0-9a-f]{6}\)\}/);
  });
});

describe("the feed of an own kind", () => {
  it("has its additions, and one that is switched off is not there", async () => {
    const { text: feed } = await request(site.app)
      .get("/quests.rss")
      .expect(200)
      .expect("Content-Type", /rss/);
    expect(feed).toContain("Almanac: new and updated quests");
    expect(feed).toContain("<title>The lost relic</title>");
    const { text: russian } = await request(site.app).get("/ru/quests.rss").expect(200);
    expect(russian).toContain("Almanac: квесты, новое и изменённое");
    await request(site.app).get("/camps.rss").expect(404);
    expect(await page("/ru/quests")).toContain('href="/ru/quests.rss"');
    expect(mainOf(await page("/quests/relic"))).toContain('href="/quests.rss"');
    expect(await page("/camps/north")).not.toContain("camps.rss");
    const { text: items } = await request(site.app).get("/items.rss").expect(200);
    expect(items).not.toContain("relic");
  });

  it("gets a new answer once an entry has changed", async () => {
    const first = await request(site.app).get("/quests.rss").expect(200);
    await request(site.app).get("/quests.rss").set("If-None-Match", String(first.headers.etag)).expect(304);
    await site.db("quests").where({ id: "relic" }).update({ name: "The found relic", revision: 2 });
    const next = await request(site.app)
      .get("/quests.rss")
      .set("If-None-Match", String(first.headers.etag))
      .expect(200);
    expect(next.text).toContain("The found relic");
    expect(await text("/quests/relic")).toContain("The found relic");
  });
});

describe("the search", () => {
  const all = async (q: string) =>
    (await request(site.app).get("/api/search/all").query({ q }).expect(200)).body;

  it("finds own kinds beside the others, and follows changes", async () => {
    const found = await all("wolf");
    const catalogue = ["items", "vehicles", "scripts", "houses", "businesses", "quests"];
    expect(Object.keys(found)).toEqual(["query", ...catalogue, "servers", "shop", "pages"]);
    expect(found.items.map(({ id }: { id: string }) => id)).toEqual(["claw"]);
    const [hit] = (await all("волков")).quests;
    expect(hit).toMatchObject({ kind: "quest", id: "wolves", url: "http://almanac.test/quests/wolves" });
    await site.db("quests").where({ id: "relic" }).update({ name: "A dragon", revision: 2 });
    expect((await all("dragon")).quests).toHaveLength(1);
    await site.db("quests").where({ id: "relic" }).delete();
    expect((await all("dragon")).quests).toEqual([]);
  });

  it("leaves the interface's own endpoint at its three kinds", async () => {
    const { body } = await request(site.app).get("/api/search").query({ q: "wolves" }).expect(200);
    expect(Object.keys(body)).toEqual(["query", "items", "vehicles", "scripts"]);
  });

  it("shows them on its page, and lists of kinds that it does not cover", async () => {
    const html = await page("/ru/search?q=волков");
    expect(textOf(mainOf(html))).toContain("Охота на волков");
    expect(await page("/search?q=relic&kind=quests")).toContain("The lost relic");
    await request(site.app).get("/search?q=relic&kind=camps").expect(400);
    const nothing = await text("/search?q=zzzzzz");
    expect(nothing).toContain("Search covers: Items, Quests, Pages.");
    expect(nothing).toContain("Camps");
  });
});

describe("favorites of an own kind", () => {
  const body = { kind: "quest", entity_id: "wolves" };

  it("are toggled at a path of their own, and listed with the others", async () => {
    const { agent } = await site.logIn();
    const toggle = () => agent.post("/api/entry_favorites/toggle").send(body).expect(200);
    expect((await toggle()).body).toEqual({ ...body, favorite: true });
    const list = await agent.get("/favorites").expect(200);
    expect(textOf(mainOf(list.text))).toContain("Hunt the wolves");
    expect(list.text).toContain('action="/api/entry_favorites/toggle"');
    expect((await agent.get("/quests/wolves").expect(200)).text).toContain('aria-pressed="true"');
    expect((await toggle()).body).toEqual({ ...body, favorite: false });
  });

  it("wait for a log-in, and are added then", async () => {
    const { agent, id } = await site.logIn();
    await agent
      .post("/api/entry_favorites/toggle")
      .type("form")
      .set("Accept", "text/html")
      .send({ ...body, wanted: "yes" })
      .expect(303)
      .expect("Location", "/quests/wolves");
    const kept = await site.db("entity_favorites").where({ user_id: id }).select("kind", "entity_id");
    expect(kept).toEqual([{ kind: "quest", entity_id: "wolves" }]);
  });
});

describe("relations with an own kind", () => {
  beforeEach(() =>
    site.db("relations").insert({
      id: "item:claw reward-of quest:wolves",
      from_kind: "item",
      from_id: "claw",
      kind: "reward-of",
      to_kind: "quest",
      to_id: "wolves",
      count: 3,
    }),
  );

  it("are shown on both pages", async () => {
    expect(await text("/ru/items/claw")).toMatch(/Охота на волков.*×3/);
    expect(await text("/ru/items/claw")).toContain("Квест");
    expect(await text("/quests/wolves")).toMatch(/Wolf claw.*×3/);
  });

  it("are in the API, by the kind's word", async () => {
    const { body } = await request(site.app)
      .get("/api/relations")
      .query({ kind: "quest", id: "wolves" })
      .expect(200);
    expect(body).toMatchObject({
      entity_kind: "quest",
      relations: [{ kind: "item", id: "claw", direction: "to" }],
    });
    await request(site.app).get("/api/relations").query({ kind: "npc", id: "wolves" }).expect(400);
  });
});

describe("the description of the API", () => {
  it("names own kinds where they are answered, and nowhere else", async () => {
    const { body } = await request(site.app).get("/api/openapi.json").expect(200);
    const answerOf = (path: string) =>
      body.paths[path].get.responses["200"].content["application/json"].schema.properties;
    expect(Object.keys(answerOf("/api/search/all"))).toContain("quests");
    expect(Object.keys(answerOf("/api/search"))).not.toContain("quests");
    const kinds = (path: string) =>
      body.paths[path].post.requestBody.content["application/json"].schema.properties.kind.enum;
    expect(kinds("/api/entry_favorites/toggle")).toEqual([
      ...["item", "vehicle", "script", "house", "business"],
      "quest",
    ]);
    expect(kinds("/api/entity_favorites/toggle")).toEqual(["item", "house", "business"]);
  });
});

describe("a change of the file while the site runs", () => {
  it("renames a kind at once; a new one waits for the next start, and so does the end of one", async () => {
    const renamed = JSON.stringify(QUESTS).replaceAll("Quests", "Missions");
    file.write({ ...JSON.parse(renamed), attributes: { longer: {} } });
    await vocabulary.noticeChange();
    expect(await text("/quests")).toContain("Missions");
    const camps = { ...QUESTS.kinds.camps, name: { one: "Bivouac", many: "Bivouacs" } };
    const hats = { one: "hat", name: { one: "Hat", many: "Hats" } };
    file.write({ kinds: { camps, hats } });
    await vocabulary.noticeChange();
    expect(await text("/quests")).toContain("Missions");
    expect(await text("/camps")).toContain("Bivouacs");
    await request(site.app).get("/hats").expect(404);
    file.write(QUESTS);
    await vocabulary.noticeChange();
    expect(await text("/quests")).toContain("Quests");
  });
});

describe("an operator", () => {
  it("writes the words of an own kind in the form, and gives its entries pictures", async () => {
    const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
    expect((await agent.get("/operator/vocabulary").expect(200)).text).toContain(
      'href="/operator/vocabulary/kinds/quests"',
    );
    const form = plainSpaces(
      textOf(mainOf((await agent.get("/operator/vocabulary/kinds/quests").expect(200)).text)),
    );
    expect(form).toContain("level");
    const entry = await agent.get("/quests/wolves").expect(200);
    const [, picture = ""] = /href="(\/operator\/[^"]*picture[^"]*)"/.exec(entry.text) ?? [];
    expect(picture).toContain("quests");
    expect(mainOf((await agent.get(picture).expect(200)).text)).toContain("Hunt the wolves");
  });
});

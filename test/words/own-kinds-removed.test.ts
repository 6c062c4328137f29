import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { makeKindTables } from "../../src/db/own-kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { kind } from "../helpers/own-kinds.ts";

const site = useTestApp();

/** What a vocabulary of an earlier start has left behind; this process knows no own kinds. */
beforeAll(async () => {
  const { db } = site;
  await makeKindTables(db, [{ kind: "quests", one: "quest" }]);
  await insertRecords(db, kind("quests"), [{ id: "wolves", name: "Hunt the wolves" }]);
  await insertRecords(db, "items", [
    { id: "claw", name: "Wolf claw" },
    { id: "cloak", name: "Cloak" },
  ]);
  const from = { from_kind: "item", from_id: "cloak", kind: "made-of" };
  await db("relations").insert([
    { ...from, id: "1", to_kind: "item", to_id: "claw" },
    { ...from, id: "2", to_kind: "quest", to_id: "wolves", position: 2 },
    { id: "3", from_kind: "quest", from_id: "wolves", kind: "unlocks", to_kind: "item", to_id: "cloak" },
  ]);
  await db("donate_items").insert({
    id: "skip",
    name: "Skip a quest",
    currency: "EUR",
    entity_kind: "quest",
    entity_id: "wolves",
  });
});

describe("a kind that the vocabulary has no more", () => {
  it("has no pages, feed, or hits", async () => {
    for (const path of ["/quests", "/quests/wolves", "/quests.rss"])
      await request(site.app).get(path).expect(404);
    const { text } = await request(site.app).get("/").expect(200);
    expect(text).not.toContain("quests");
    const { body } = await request(site.app).get("/api/search/all?q=wolves").expect(200);
    expect(Object.keys(body)).toEqual([
      ...["query", "items", "vehicles", "scripts", "houses", "businesses"],
      ...["servers", "shop", "pages"],
    ]);
    const { text: sitemap } = await request(site.app).get("/sitemap.xml").expect(200);
    expect(sitemap).toContain("/items/cloak");
    expect(sitemap).not.toContain("/quests");
  });

  it("leaves relations with it out, and keeps the others", async () => {
    const { text } = await request(site.app).get("/items/cloak").expect(200);
    expect(textOf(mainOf(text))).toContain("Wolf claw");
    expect(text).not.toContain("wolves");
    const { body } = await request(site.app).get("/api/relations?kind=item&id=cloak").expect(200);
    expect(body.relations.map(({ id }: { id: string }) => id)).toEqual(["claw"]);
    await request(site.app).get("/items/cloak/relations?relation=unlocks&direction=to").expect(404);
  });

  it("leaves a shop item of it without an entry", async () => {
    const { text } = await request(site.app).get("/donate/skip").expect(200);
    expect(textOf(mainOf(text))).toContain("Skip a quest");
    expect(text).not.toContain("/quests/");
  });
});

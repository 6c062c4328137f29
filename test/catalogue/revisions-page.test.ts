import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { compareProse } from "../../src/catalogue/entry/history.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

const knife = {
  id: "1",
  name: "Knife",
  names: { en: "Knife", ru: "Нож" },
  description: "A plain knife of steel.",
  attributes: { price: 9000, garage: true, top_speed_kmh: 5 },
};

const load = (record: object) => importRecords(site.db, "items", [{ ...knife, ...record }]);

/** The folded history on an item's page, or "". */
const historyOn = async (path = "/items/1") =>
  /<details class="history-folded">([\s\S]*?)<\/details>/.exec(await site.page(path))?.[1] ?? "";

/** The lines of all changes as they look on a screen. */
const linesOf = (history: string) =>
  elements(history, "div").map((line) =>
    textOf(line.replace(/<span class="visually-hidden">.*?<\/span>/g, "")),
  );

describe("the history on an entry's page", () => {
  it("is absent without changes, and lists old and new values with labels, units and words", async () => {
    await load({});
    expect(await historyOn()).toBe("");
    const attributes = { price: 9500, garage: false, rarity: "rare" };
    await load({ name: "Dagger", names: { ru: "Кинжал" }, attributes });
    expect(linesOf(await historyOn())).toEqual([
      "Name Knife → Dagger",
      "Name in English removed Knife",
      "Name in Russian Нож → Кинжал",
      "Garage yes → no",
      "Price 9,000 → 9,500",
      "Rarity added rare",
      "Top speed removed 5 km/h",
    ]);
    expect(linesOf(await historyOn("/ru/items/1"))).toEqual([
      "Название Knife → Dagger",
      "Название (английский) удалено Knife",
      "Название (русский) Нож → Кинжал",
      "Гараж да → нет",
      "Цена 9 000 → 9 500",
      "Редкость добавлено редкий",
      "Максимальная скорость удалено 5 км/ч",
    ]);
  });

  it("says for screen readers which value is which", async () => {
    await load({});
    await load({ attributes: { price: 1 } });
    const price = elements(await historyOn(), "div").find((line) => line.includes("Price")) ?? "";
    expect(textOf(price)).toBe("Price Before: 9,000 → Now: 1");
    expect(price).toContain('<span aria-hidden="true">→</span>');
  });

  it("marks what was removed from and added to a description, without its markup", async () => {
    await load({});
    await load({ description: "A plain <b>sharp</b> knife of steel." });
    const [line = ""] = elements(await historyOn(), "div");
    expect(textOf(line)).toBe("Description A plain Now: <b>sharp</b> knife of steel.");
    await load({ description: "A knife of steel." });
    const [shorter = ""] = elements(await historyOn(), "div");
    expect(elements(shorter, "del").map(textOf)).toEqual(["Before: plain <b>sharp</b>"]);
    expect(elements(shorter, "ins")).toEqual([]);
  });

  it("reports a change of a text after the part that is kept", async () => {
    const long = "word ".repeat(600);
    await load({ description: `${long}one` });
    await load({ description: `${long}two` });
    expect(linesOf(await historyOn())).toEqual(["Description changed further down in the text"]);
  });

  it("says if it does not start at the first revision", async () => {
    await insertRecords(site.db, "items", [{ id: "1", revision: 7 }]);
    await importRecords(site.db, "items", [{ id: "1", name: "Now" }]);
    const after = textOf(await historyOn());
    expect(after).toContain("Name Before: 1 → Now: Now");
    expect(after).toContain("Older changes aren’t kept.");
  });
});

describe("an attribute that the vocabulary hides", () => {
  const words = { attributes: { secret: { hidden: true } } };
  const hiding = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ defaults: words }) }));

  it("is not in any history, feed, list of changes or report form, except for editors", async () => {
    await emptyCatalogue(hiding.db);
    for (const secret of ["code-before", "code-after"])
      await importRecords(hiding.db, "items", [{ ...knife, attributes: { secret } }]);
    const { agent } = await hiding.logIn(await hiding.createUser({ role: "editor" }));
    const { text } = await agent.get("/operator/records/items/1/history").expect(200);
    expect(textOf(text)).toContain("code-before → Now: code-after");
    for (const path of ["/items/1", "/items.rss", "/changes", "/changes.rss"]) {
      const answer = await request(hiding.app).get(path).expect(200);
      expect([path, /code-|[Ss]ecret/.exec(answer.text)]).toEqual([path, null]);
    }
    const { agent: user } = await hiding.logIn();
    const report = await user.get("/suggest/items/1").expect(200);
    expect(report.text).not.toMatch(/code-|[Ss]ecret/);
  });
});

describe("what changed between two texts", () => {
  it.each([
    ["one two", "one two three", ["=one two", "+ three"]],
    ["one two", "two", ["-one ", "=two"]],
    ["old", "new", ["-old", "+new"]],
    ["same", "same", ["=same"]],
    ["", "new", ["+new"]],
    ["red car, red door", "blue car, blue door", ["-red", "+blue", "= car, ", "-red", "+blue", "= door"]],
  ])("%j → %j", (before, after, expected) => {
    const marks = { same: "=", removed: "-", added: "+" };
    expect(compareProse(before, after).map(({ type, text }) => marks[type] + text)).toEqual(expected);
  });

  it("has some words before and after a change in a long text", () => {
    const words = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}`).join(" ");
    const [old, now] = [`${words("a")} old ${words("b")}`, `${words("a")} new ${words("b")}`];
    const [start, removed, added, end] = compareProse(old, now);
    expect(start?.text).toBe("… a12 a13 a14 a15 a16 a17 a18 a19 ");
    expect([removed?.text, added?.text]).toEqual(["old", "new"]);
    expect(end?.text).toBe(" b0 b1 b2 b3 b4 b5 b6 b7 …");
  });
});

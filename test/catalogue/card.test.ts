import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { paths } from "../../src/words/urls.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { addItem } from "../helpers/donate.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

const srcsIn = (html: string) => attributes(html, "src");

beforeEach(() => emptyCatalogue(site.db));

const get = (path: string, status = 200) => request(site.app).get(path).expect(status);
const cardOf = site.page;

describe("the card of an entry", () => {
  it.each(BUILT_IN_KINDS)("exists for %s, with kind, category and name", async (kind) => {
    await insertRecords(site.db, kind, [{ id: "7", name: "Seven", category: "Numbers" }]);
    const text = await cardOf(`/${kind}/7/card`);
    const [head, name] = elements(text, "p").map(textOf);
    expect([head, name]).toEqual([expect.stringMatching(/ Numbers$/), "Seven"]);
    expect(text).not.toMatch(/<(html|body|script|a|button)[\s>]/);
  });

  it("is in the language of its path, else of the browser", async () => {
    await insertRecords(site.db, "items", [{ id: "1", name: "Knife", names: { en: "Knife", ru: "Нож" } }]);
    expect(await cardOf("/ru/items/1/card")).toContain(">Нож</p>");
    expect(await cardOf("/en/items/1/card")).toContain(">Knife</p>");
    const { text, headers } = await request(site.app).get("/items/1/card").set("Accept-Language", "ru");
    expect(text).toContain(">Нож</p>");
    expect(headers["content-language"]).toBe("ru");
    expect(headers.vary).toContain("Accept-Language");
  });

  it("has five values at most, those worth a column first", async () => {
    const others = Array.from({ length: 9 }, (_, n) => {
      return { id: `o${n}`, attributes: { damage: n * 10, quality: n % 2 ? "Good" : "Bad" } };
    });
    const own = { zzz: "last", yyy: "y", xxx: "x", www: "w", vvv: "v", quality: "Good", damage: 55 };
    await insertRecords(site.db, "items", [...others, { id: "me", attributes: own }]);
    const labels = elements(await cardOf("/items/me/card"), "dt").map(textOf);
    expect(labels).toHaveLength(5);
    expect(labels.slice(0, 2).sort()).toEqual(["Damage", "Quality"]);
  });

  it("has the shop's price, if the shop sells the entry", async () => {
    await insertRecords(site.db, "items", [{ id: "1" }]);
    expect(await cardOf("/items/1/card")).not.toContain("hover-card-price");
    await addItem(site.db, { id: "k", price: "12.50", currency: "EUR", entity_kind: "item", entity_id: "1" });
    expect(textOf(await cardOf("/items/1/card"))).toContain("12.50 EUR");
  });

  it("loads pictures from allowed hosts only", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", image: "https://evil.example/x.png" },
      { id: "2", image: "/assets/img/logo.svg" },
    ]);
    expect(await cardOf("/items/1/card")).not.toContain("evil.example");
    expect(srcsIn(await cardOf("/items/2/card"))).toEqual(["/assets/img/logo.svg"]);
  });
});

describe("the address of a card", () => {
  it.each(["a/b", "?x=1#y", "map", "%2F", "card", "a/card"])("exists for the id %j", async (id) => {
    await insertRecords(site.db, "houses", [{ id, name: "This one" }]);
    expect(await cardOf(paths.entryCard("houses", id))).toContain("This one");
  });

  it("does not exist for the map", async () => {
    await insertRecords(site.db, "houses", [{ id: "map" }]);
    await cardOf("/houses/map/card", 404);
  });

  it.each(["/items/none/card", `/items/${"x".repeat(201)}/card`, "/items/%00/card"])(
    "is 404 as %j, also for other sites",
    async (path) => {
      const { headers } = await get(path, 404);
      expect(headers["access-control-allow-origin"]).toBe("*");
    },
  );

  it("can be read by other sites without cookies, but not by search engines", async () => {
    await insertRecords(site.db, "items", [{ id: "1" }]);
    const { headers } = await get("/items/1/card");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
    expect(headers["x-robots-tag"]).toBe("noindex");
    expect(headers["cache-control"]).toContain("s-maxage");
    expect((await request(site.app).get("/items/1")).headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the script for other sites", () => {
  it("has a permanent address, is small, and can be loaded by every site", async () => {
    const { text, headers } = await get("/embed/cards.js");
    expect(headers["content-type"]).toMatch(/^text\/javascript/);
    expect(Buffer.byteLength(text)).toBeLessThan(5_000);
    expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
    expect(headers["cache-control"]).toBe("public, max-age=3600");
    expect(text).not.toMatch(/\b(import|export)\b/);
  });

  it("is explained, with the line to include and entries to try", async () => {
    await insertRecords(site.db, "items", [{ id: "a/b", name: "Thing" }]);
    const text = await cardOf("/docs/cards");
    expect(textOf(text)).toContain('<script src="http://almanac.test/embed/cards.js" defer></script>');
    expect(text).toContain('<a href="/items/a%2Fb">Thing</a>');
    expect(await cardOf("/ru/docs/cards")).toContain('<a href="/ru/items/a%2Fb">Thing</a>');
  });
});

describe("the card of an entry with a vocabulary", () => {
  const words = {
    attributes: {
      level: { label: { en: "Level", ru: "Уровень" }, order: 1 },
      secret: { hidden: true },
      quality: { values: { Epic: { label: { ru: "Эпическое" }, colour: "#a335ee", rank: 4 } } },
    },
  };
  const known = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ defaults: words }) }));

  it("has its words, order and colours, also without the site's style sheet", async () => {
    await emptyCatalogue(known.db);
    const own = { brand: "Colt", quality: "Epic", secret: "x", level: 60 };
    await insertRecords(known.db, "items", [{ id: "1", name: "Sword", attributes: own }]);
    const text = await known.page("/ru/items/1/card");
    expect(elements(text, "dt").map(textOf)[0]).toBe("Уровень");
    expect(text).toContain('<dd class="tint tint-a335ee">Эпическое</dd>');
    expect(text).toMatch(
      /class="hover-card-name tint tint-a335ee" data-light="#[0-9a-f]{6}" data-dark="#[0-9a-f]{6}"/,
    );
    expect(text).not.toContain("Secret");
  });
});

import { pino } from "pino";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addDayCounts, DayCounts, KEPT } from "../../src/records/counts/day-counts.ts";
import { missedWords } from "../../src/search/missed-searches.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { useStatementCount } from "../helpers/statements.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

let counts: DayCounts;
const newCounts = () => new DayCounts({ db: site.db, log: pino({ level: "silent" }) });
const site = useTestApp({}, () => {
  counts = newCounts();
  return { counts };
});
const statements = useStatementCount();

beforeAll(async () => {
  await emptyCatalogue(site.db);
  await insertRecords(site.db, "items", [
    { id: "ak", name: "AK-47" },
    { id: "a b/ü", name: "Strange" },
  ]);
  await insertRecords(site.db, "houses", [{ id: "map", name: "The house map", attributes: { x: 1, y: 2 } }]);
  await site.search.refresh();
});

beforeEach(async () => {
  await counts.write();
  await site.db("day_counts").delete();
});

const ask = (path: string, agent: string | undefined = FIREFOX) => {
  const asked = request(site.app).get(path);
  return agent === undefined ? asked : asked.set("User-Agent", agent);
};

async function counted(prefix = "visit:"): Promise<Record<string, number>> {
  await counts.write();
  const rows = await site.db("day_counts").whereRaw("starts_with(topic, ?)", [prefix]).orderBy("name");
  return Object.fromEntries(rows.map(({ topic, name, count }) => [`${topic} ${name}`, count]));
}

describe("visits of entries", () => {
  it("are counted in every language, by the entry's id, and for revalidated pages", async () => {
    await ask("/items/ak").expect(200);
    const { headers } = await ask("/ru/items/ak?x=1").expect(200);
    await ask("/ru/items/ak?x=1").set("If-None-Match", String(headers.etag)).expect(304);
    await ask(`/en/items/${encodeURIComponent("a b/ü")}`).expect(200);
    await ask("/en/houses/~map").expect(200);
    expect(await counted()).toEqual({ "visit:items ak": 3, "visit:items a b/ü": 1, "visit:houses map": 1 });
  });

  it("do not include programs, prefetched pages, and pages of no entry", async () => {
    await ask("/items/ak", GOOGLEBOT).expect(200);
    await ask("/items/ak", "curl/8.5.0").expect(200);
    await request(site.app).get("/items/ak").expect(200);
    await ask("/items/ak").set("Sec-Purpose", "prefetch;prerender").expect(200);
    await request(site.app).head("/items/ak").set("User-Agent", FIREFOX).expect(200);
    await ask("/items/none").expect(404);
    await ask("/items/ak/card").expect(200);
    await ask("/houses/map").expect(200);
    await ask("/items/%ff");
    await ask("/nicknames").expect(200);
    expect(await counted()).toEqual({});
  });

  it("are written in one statement, without names or addresses, and reading a page writes nothing", async () => {
    const asked = await statements.costOf(async () => {
      for (let n = 0; n < 5; n++) await ask("/items/ak").expect(200);
    });
    expect(asked.written).toEqual([]);
    expect(await statements.costOf(() => counts.write())).toMatchObject({ statements: 1, roundTrips: 1 });
    expect(await statements.costOf(() => counts.write())).toMatchObject({ statements: 0 });
    expect(await counted()).toEqual({ "visit:items ak": 5 });
    const rows = await site.db("day_counts");
    expect(rows.map((row) => Object.keys(row).sort())).toEqual([["count", "day", "name", "topic"]]);
  });
});

describe("counts of days", () => {
  it("of several processes are added, and are kept while the database is down", async () => {
    const [one, other] = [newCounts(), newCounts()];
    one.note("visit:items", "ak", 2);
    other.note("visit:items", "ak", 3);
    await Promise.all([one.write(), other.write()]);
    expect(await counted()).toEqual({ "visit:items ak": 5 });
    one.note("visit:items", "ak");
    await site.db.raw("alter table day_counts rename to gone");
    await one.write();
    await site.db.raw("alter table gone rename to day_counts");
    one.note("visit:items", "ak");
    await one.write();
    expect(await counted()).toEqual({ "visit:items ak": 7 });
  });

  it("are removed after eight days, of searches after thirty", async () => {
    const ago = (days: number) => site.db.raw("(now() at time zone 'utc')::date - ?::integer", [days]);
    const old = (topic: string, name: string, days: number) => ({ topic, name, day: ago(days), count: 1 });
    await site
      .db("day_counts")
      .insert([
        old("visit:items", "seven", 7),
        old("visit:items", "eight", 8),
        old("missed", "recent", 29),
        old("missed", "old", 30),
      ]);
    counts.note("visit:items", "ak");
    expect(Object.keys(await counted(""))).toEqual(["visit:items ak", "missed recent", "visit:items seven"]);
  });

  it("have a limit of names a day, and known names are still counted", async () => {
    const many = Array.from({ length: 700 }, (_, n) => ({ topic: "missed", name: `words ${n}`, count: 1 }));
    await addDayCounts(site.db, many, Object.values(KEPT));
    const late = { topic: "missed", name: "late", count: 9 };
    await addDayCounts(site.db, [late, ...many.slice(0, 1)], Object.values(KEPT));
    const rows = await site.db("day_counts").where({ topic: "missed" });
    expect(rows).toHaveLength(500);
    expect(rows.find(({ name }) => name === "words 0")?.count).toBe(2);
    expect(rows.some(({ name }) => name === "late")).toBe(false);
  });

  it("have a limit in memory during a flood of names", async () => {
    const flooded = newCounts();
    for (let n = 0; n < 30_000; n++) flooded.note("visit:items", `n${n}`);
    await flooded.write();
    expect(Object.keys(await counted())).toHaveLength(20_000);
  });
});

describe("the most visited entries", () => {
  const panel = async (path: string) => {
    const sections = elements(mainOf((await ask(path).expect(200)).text), "section");
    return textOf(sections.find((one) => one.includes('id="visited"')) ?? "");
  };

  it("are on the start page, the most visited first, without removed ones", async () => {
    expect(await panel("/en")).toBe("");
    counts.note("visit:items", "ak", 5);
    counts.note("visit:houses", "map", 9);
    counts.note("visit:items", "gone", 99);
    await counts.write();
    expect(await panel("/en")).toBe("Most viewed this week The house map House AK-47 Item");
    expect(await panel("/ru")).toContain("Популярное за неделю");
  });
});

describe("searches without a hit", () => {
  it("are counted each time, but not with hits or by programs", async () => {
    for (let n = 0; n < 5; n++) await ask("/en/search?q=Qqqq%20%20XXXX").expect(200);
    await ask("/ru/search?q=qqqq+xxxx").expect(200);
    await ask("/en/search?q=ak").expect(200);
    await ask("/en/search?q=qqqqqqq", GOOGLEBOT).expect(200);
    await ask("/en/search?q=qqqqqqq&kind=items").expect(200);
    expect(await counted("missed")).toEqual({ "missed qqqq xxxx": 6 });
  });

  it("are no longer counted once there is a hit", async () => {
    await ask("/en/search?q=zorbulator").expect(200);
    await insertRecords(site.db, "items", [{ id: "z", name: "Zorbulator" }]);
    await site.search.refresh();
    await ask("/en/search?q=zorbulator").expect(200);
    expect(await counted("missed")).toEqual({ "missed zorbulator": 1 });
  });

  it.each([
    ["Plasma  Rifle", "plasma rifle"],
    ["МЕЧ", "меч"],
    ["", undefined],
    ["x", undefined],
    ["someone@example.org", undefined],
    ["https://example.org/secret", undefined],
    ["call 5551234", undefined],
    ["10.20.30.40 ip", undefined],
    ["a".repeat(61), undefined],
    ["a\u0000bc\uD800", "abc\uFFFD"],
  ])("%j is kept as %j", (q, words) => {
    expect(missedWords(q)).toBe(words);
  });

  it("are shown to an operator if there were several", async () => {
    counts.note("missed", "plasma rifle", 4);
    counts.note("missed", "<b>jetpack</b>", 12);
    counts.note("missed", "typo", 2);
    await counts.write();
    const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
    const { text } = await agent.get("/en/operator").expect(200);
    const found = "that found nothing: “<b>jetpack</b>” (12), “plasma rifle” (4).";
    expect(textOf(mainOf(text))).toContain(`Searches of the last week ${found}`);
    expect(text).not.toContain("<b>jetpack");
    expect(text).not.toContain("typo");
  });
});

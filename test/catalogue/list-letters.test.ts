import { parse } from "csv-parse/sync";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** A letter above the list, as a viewer sees it; `isEmpty` if it is no link. */
interface Letter {
  label: string;
  told: string | undefined;
  isEmpty: boolean;
  isCurrent: boolean;
}

async function pageOf(path: string): Promise<string> {
  return (await request(site.app).get(path).expect(200)).text;
}

function lettersOf(text: string): Letter[] {
  const [, list = ""] = /<nav class="letters"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? [];
  return [...list.matchAll(/<li><(a|button|span)([^>]*)>([^<]*)</g)].map(
    ([, tag, attributes = "", label = ""]) => ({
      label,
      told: /aria-label="([^"]*)"/.exec(attributes)?.[1],
      isEmpty: tag === "span",
      isCurrent: attributes.includes("aria-current"),
    }),
  );
}

async function letterOf(path: string, label: string): Promise<Letter | undefined> {
  return lettersOf(await pageOf(path)).find((letter) => letter.label === label);
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/<th scope="row">[\s\S]*?<a [^>]*>([^<]*)</g)].map(([, name = ""]) => name);
}

/** More than a page of each first letter, so that there are letters above the list. */
function store(...names: (string | Partial<TestEntry>)[]): Promise<void> {
  const filler = Array.from(
    { length: 60 },
    (_, at): Partial<TestEntry> => ({ name: `Zero ${at}`, category: "Rest" }),
  );
  const entries = [...names, ...filler].map((one, at): TestEntry => {
    return { id: `v${at}`, ...(typeof one === "string" ? { name: one } : one) };
  });
  return insertRecords(site.db, "vehicles", entries);
}

describe("the letters above a list", () => {
  it("are those of the reader's alphabet with their counts, and lead nowhere without a name", async () => {
    await store("Ambulance", "Ängelholm", "éclair", "Bus", "Ёлка", "9mm", "-", "日本");
    const letters = lettersOf(await pageOf("/vehicles"));
    expect(letters.map(({ label }) => label).join("")).toBe("AllABCDEFGHIJKLMNOPQRSTUVWXYZЕ…#");
    expect(letters.filter(({ isEmpty }) => !isEmpty).map(({ told }) => told)).toEqual([
      undefined,
      "A: 2",
      "B: 1",
      "E: 1",
      "Z: 60",
      "Е: 1",
      "…: 1",
      "#: 2",
    ]);
    const russian = lettersOf(await pageOf("/ru/vehicles")).map(({ label }) => label);
    expect(russian.join("")).toBe("ВсеАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯABEZ…#");
  });

  it("are not there where the list has one page", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "a", name: "A" }]);
    expect(lettersOf(await pageOf("/vehicles"))).toEqual([]);
  });

  it("show the names that begin so, in the reader's language", async () => {
    await store(
      "Arbor",
      "arrow",
      { name: "Melon", names: { ru: "Арбуз" } },
      { name: "Apple", names: { ru: "Яблоко" } },
    );
    expect(namesIn(await pageOf("/vehicles?letter=A"))).toEqual(["Apple", "Arbor", "arrow"]);
    expect(namesIn(await pageOf("/ru/vehicles?letter=%D0%B0"))).toEqual(["Арбуз"]);
    expect((await letterOf("/ru/vehicles", "А"))?.told).toBe("А: 1");
    expect((await letterOf("/ru/vehicles", "A"))?.told).toBe("A: 2");
  });

  it("show the names without a letter by #", async () => {
    await store("9mm", "10mm", "<Shard>", "Arrow");
    expect(namesIn(await pageOf("/vehicles?letter=0-9"))).toEqual(
      ["<Shard>", "9mm", "10mm"].map((name) => name.replace("<", "&lt;").replace(">", "&gt;")),
    );
    expect((await letterOf("/vehicles?letter=0-9", "#"))?.isCurrent).toBe(true);
  });

  it("go along with a category, filters, a search, pages and the file", async () => {
    const seats = (seats: number) => ({ attributes: { seats }, category: "Sport" });
    await store(
      { name: "Alpha", ...seats(2) },
      { name: "Apex", ...seats(4) },
      { name: "Bravo", ...seats(2) },
      "Aqua",
    );
    expect(namesIn(await pageOf("/vehicles?letter=A&category=Sport"))).toEqual(["Alpha", "Apex"]);
    expect(namesIn(await pageOf("/vehicles?letter=A&a.seats=2"))).toEqual(["Alpha"]);
    expect((await letterOf("/vehicles?letter=A&a.seats=2", "B"))?.told).toBe("B: 1");
    expect(namesIn(await pageOf("/vehicles?letter=Z&page=2"))).toHaveLength(10);
    expect(await pageOf("/vehicles?letter=Z")).toContain('href="/vehicles?letter=Z&amp;page=2"');
    const { text } = await request(site.app).get("/vehicles.csv?letter=A&category=Sport").expect(200);
    const rows: Record<string, string>[] = parse(text, { bom: true, columns: true });
    expect(rows.map(({ Name }) => Name)).toEqual(["Alpha", "Apex"]);
  });

  it("keep such pages from search engines", async () => {
    await store("Alpha");
    expect(await pageOf("/vehicles?letter=A")).toContain('<meta name="robots" content="noindex">');
  });
});

import { parse } from "csv-parse/sync";
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

const pageOf = site.page;

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
  const rest = Array.from({ length: 60 }, (_, at) => ({ name: `Zero ${at}`, category: "Rest" }));
  const entries = [...names, ...rest].map((one, at): TestEntry => {
    return { id: `v${at}`, ...(typeof one === "string" ? { name: one } : one) };
  });
  return insertRecords(site.db, "vehicles", entries);
}

describe("the letters above a list", () => {
  it("are those of the reader's alphabet with their counts, and no links without names", async () => {
    await store("Ambulance", "Ängelholm", "éclair", "Bus", "Ёлка", "9mm", "-", "日本");
    const letters = lettersOf(await pageOf("/vehicles"));
    expect(letters.map(({ label }) => label).join("")).toBe("AllABCDEFGHIJKLMNOPQRSTUVWXYZЕ…#");
    const told = letters.filter(({ isEmpty }) => !isEmpty).map((letter) => letter.told);
    expect(told).toEqual([undefined, "A: 2", "B: 1", "E: 1", "Z: 60", "Е: 1", "…: 1", "#: 2"]);
    const russian = lettersOf(await pageOf("/ru/vehicles")).map(({ label }) => label);
    expect(russian.join("")).toBe("ВсеАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯABEZ…#");
  });

  it("are absent if the list has one page", async () => {
    await insertRecords(site.db, "vehicles", [{ id: "a", name: "A" }]);
    expect(lettersOf(await pageOf("/vehicles"))).toEqual([]);
  });

  it("list the names with that first letter, in the reader's language", async () => {
    const melon = { name: "Melon", names: { ru: "Арбуз" } };
    await store("Arbor", "arrow", melon, { name: "Apple", names: { ru: "Яблоко" } });
    expect(namesIn(await pageOf("/vehicles?letter=A"))).toEqual(["Apple", "Arbor", "arrow"]);
    expect(namesIn(await pageOf("/ru/vehicles?letter=%D0%B0"))).toEqual(["Арбуз"]);
    expect((await letterOf("/ru/vehicles", "А"))?.told).toBe("А: 1");
    expect((await letterOf("/ru/vehicles", "A"))?.told).toBe("A: 2");
  });

  it("list the names without a letter by #", async () => {
    await store("9mm", "10mm", "<Shard>", "Arrow");
    expect(namesIn(await pageOf("/vehicles?letter=0-9"))).toEqual(["&lt;Shard&gt;", "9mm", "10mm"]);
    expect((await letterOf("/vehicles?letter=0-9", "#"))?.isCurrent).toBe(true);
  });

  it("work with a category, filters, pages and the file, and are not for search engines", async () => {
    const seats = (seats: number) => ({ attributes: { seats }, category: "Sport" });
    const alpha = { name: "Alpha", ...seats(2) };
    await store(alpha, { name: "Apex", ...seats(4) }, { name: "Bravo", ...seats(2) }, "Aqua");
    expect(namesIn(await pageOf("/vehicles?letter=A&category=Sport"))).toEqual(["Alpha", "Apex"]);
    expect(namesIn(await pageOf("/vehicles?letter=A&a.seats=2"))).toEqual(["Alpha"]);
    expect((await letterOf("/vehicles?letter=A&a.seats=2", "B"))?.told).toBe("B: 1");
    expect(namesIn(await pageOf("/vehicles?letter=Z&page=2"))).toHaveLength(10);
    expect(await pageOf("/vehicles?letter=Z")).toContain('href="/vehicles?letter=Z&amp;page=2"');
    const file = await pageOf("/vehicles.csv?letter=A&category=Sport");
    const rows: Record<string, string>[] = parse(file, { bom: true, columns: true });
    expect(rows.map(({ Name }) => Name)).toEqual(["Alpha", "Apex"]);
    expect(await pageOf("/vehicles?letter=A")).toContain('<meta name="robots" content="noindex">');
  });
});

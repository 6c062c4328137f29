import request from "supertest";
import { describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

const LEGAL = /^[A-Z][A-Za-z]+_[A-Z][A-Za-z]+$/;

const page = async (query: string, status = 200) => mainOf(await site.page(`/nicknames${query}`, status));

function nicknames(html: string): string[] {
  const [, list = ""] = /<ul class="nicknames">([\s\S]*?)<\/ul>/.exec(html) ?? [];
  return elements(list, "code").map(textOf);
}

/** What is selected in each select box. */
function selected(html: string): string[] {
  return [...html.matchAll(/<option value="([^"]*)" selected>/g)].map((match) => match[1] ?? "");
}

describe("/nicknames", () => {
  it("shows the same examples and defaults before the first request", async () => {
    const html = await page("");
    expect(nicknames(html)).toHaveLength(10);
    expect(nicknames(html)).toEqual(nicknames(await page("")));
    expect(elements(html, "h2").map(textOf)).toEqual(["For example", "Kept"]);
    expect(selected(html)).toEqual(["us", "real", "any"]);
  });

  it("generates new names with every answer after the first request", async () => {
    const [first, second] = [nicknames(await page("?country=ru")), nicknames(await page("?country=ru"))];
    for (const name of [...first, ...second]) expect(name).toMatch(LEGAL);
    expect(first).not.toEqual(second);
  });

  it("has a field for each parameter, with the request's value", async () => {
    const query = "country=PL&mode=mixed&sex=female&first=Zofia&last=&min_len=8&max_len=18&count=3";
    const html = await page(`?${query}`);
    expect(selected(html)).toEqual(["pl", "mixed", "female"]);
    const fields = [...new URLSearchParams(query).keys()];
    expect(attributes(html, "name")).toEqual(expect.arrayContaining(fields));
    for (const value of ["Zofia", "8", "18", "3"]) expect(html).toContain(`value="${value}"`);
    const names = nicknames(html);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^Zofia_.{2,12}$/);
  });

  it("shows every fault at its field, with the typed values, and no names", async () => {
    const html = await page("?country=de&first=R2D2&min_len=22&max_len=9&count=0", 400);
    const faults = [...html.matchAll(/<p class="field-error" id="(\w+)-error">(.*?)<\/p>/g)];
    expect(faults.map(([, field, text = ""]) => `${field}: ${textOf(text)}`)).toEqual([
      "first: First name can only contain letters, no digits (2).",
      "count: How many must be a whole number from 1 to 100.",
    ]);
    expect(html).toContain('name="first"');
    expect(attributes(html, "value")).toContain("R2D2");
    expect(html).toMatch(/id="first"[^>]* aria-describedby="first-hint first-error" aria-invalid="true"/);
    const named = [...html.matchAll(/<li><a href="#(\w+)">/g)].map(([, field]) => field);
    expect(named).toEqual(["first", "count"]);
    expect(html).toContain('role="alert"');
    expect(html.match(/ autofocus/g)).toHaveLength(1);
    expect(selected(html)[0]).toBe("de");
    expect(nicknames(html)).toEqual([]);
  });

  it("explains bounds that exclude each other", async () => {
    const html = textOf(await page("?min_len=20&max_len=10", 400));
    expect(html).toContain("Shortest must not exceed the longest: 20 is more than 10; change one of them.");
  });

  it("is in the reader's language, with countries in its order", async () => {
    const html = mainOf(await site.page("/ru/nicknames?first=R2D2&max_len=7", 400));
    expect(textOf(html)).toContain("Имя: можно использовать только буквы, без цифр (2).");
    const countries = elements(elements(html, "select")[0] ?? "", "option").map(textOf);
    expect(countries.slice(0, 3)).toEqual(["Аргентина", "Армения", "Болгария"]);
    expect(countries).toContain("США");
    expect(await site.page("/ru/nicknames?count=3")).toContain("Подобрать ещё");
  });

  it("offers the games' limits as links that keep the other fields", async () => {
    const html = await page("?country=pl&first=Zofia&max_len=22");
    const links = [...html.matchAll(/href="([^"]*)"[^>]* data-preset="(\d+)"( aria-current="true")?/g)];
    expect(links.map(([, , length, chosen]) => [length, Boolean(chosen)])).toEqual([
      ["20", false],
      ["22", true],
      ["24", false],
    ]);
    const longest = links[2]?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(new URLSearchParams(longest.split("?")[1]).get("first")).toBe("Zofia");
    expect(longest).toContain("max_len=24");
  });

  it("says that no name fits, or that there are fewer than requested", async () => {
    const none = await page("?country=us&mode=real&min_len=3&max_len=3");
    expect(textOf(none)).toContain("No name in these lists fits.");
    expect(nicknames(none)).toEqual([]);
    const one = await page("?first=Ada&last=Lovelace&count=5");
    expect(nicknames(one)).toEqual(["Ada_Lovelace"]);
    expect(textOf(one)).toContain("That’s all of them");
  });

  it("keeps answers out of search engines and out of shared caches", async () => {
    const { text, headers } = await request(site.app).get("/nicknames?country=ru");
    expect(text).toContain("noindex");
    expect(headers["cache-control"]).toContain("private");
  });

  it.each(["count=1&count=2", "first=%00", `seed=${"x".repeat(65)}`, "sex=FEMALE"])(
    "is 400 for ?%s",
    async (query) => {
      await page(`?${query}`, 400);
      await page("?mode=");
    },
  );
});

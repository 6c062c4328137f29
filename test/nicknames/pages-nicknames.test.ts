import request from "supertest";
import { describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

const LEGAL = /^[A-Z][A-Za-z]+_[A-Z][A-Za-z]+$/;

async function page(query: string, status = 200): Promise<string> {
  const { text } = await request(site.app).get(`/nicknames${query}`).expect(status);
  return mainOf(text);
}

function nicknames(html: string): string[] {
  const [, list = ""] = /<ul class="nicknames">([\s\S]*?)<\/ul>/.exec(html) ?? [];
  return elements(list, "code").map(textOf);
}

/** What is selected in each select box. */
function selected(html: string): string[] {
  return [...html.matchAll(/<option value="([^"]*)" selected>/g)].map((match) => match[1] ?? "");
}

describe("/nicknames", () => {
  it("shows examples before anybody asked, the same ones each time", async () => {
    const html = await page("");
    expect(nicknames(html)).toHaveLength(10);
    expect(nicknames(html)).toEqual(nicknames(await page("")));
    expect(elements(html, "h2").map(textOf)).toEqual(["For example", "Kept"]);
  });

  it("generates new names with every answer after the first request", async () => {
    const [first, second] = [nicknames(await page("?country=ru")), nicknames(await page("?country=ru"))];
    for (const name of [...first, ...second]) expect(name).toMatch(LEGAL);
    expect(first).not.toEqual(second);
  });

  it("has a field for each parameter, with the request's value", async () => {
    const html = await page(
      "?country=PL&mode=mixed&sex=female&first=Zofia&last=&min_len=8&max_len=18&count=3",
    );
    expect(selected(html)).toEqual(["pl", "mixed", "female"]);
    expect(attributes(html, "name")).toEqual(
      expect.arrayContaining(["country", "mode", "sex", "first", "last", "min_len", "max_len", "count"]),
    );
    for (const value of ['value="Zofia"', 'value="8"', 'value="18"', 'value="3"']) {
      expect(html).toContain(value);
    }
    const names = nicknames(html);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^Zofia_.{2,12}$/);
  });

  it("selects the defaults of the interface", async () => {
    expect(selected(await page(""))).toEqual(["us", "real", "any"]);
  });

  it("shows every fault beside its field, with everything that was typed, and no names", async () => {
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
    const html = await page("?min_len=20&max_len=10", 400);
    expect(textOf(html)).toContain(
      "Shortest must not exceed the longest: 20 is more than 10; change one of them.",
    );
  });

  it("says it all in the reader's language, countries in its order", async () => {
    const { text } = await request(site.app).get("/ru/nicknames?first=R2D2&max_len=7").expect(400);
    const html = mainOf(text);
    expect(textOf(html)).toContain("Имя: можно использовать только буквы, без цифр (2).");
    const countries = elements(elements(html, "select")[0] ?? "", "option").map(textOf);
    expect(countries.slice(0, 3)).toEqual(["Аргентина", "Армения", "Болгария"]);
    expect(countries).toContain("США");
    expect((await request(site.app).get("/ru/nicknames?count=3")).text).toContain("Подобрать ещё");
  });

  it("offers the games' greatest lengths as links that keep the wishes", async () => {
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

  it("says when nothing in the lists fits", async () => {
    const html = await page("?country=us&mode=real&min_len=3&max_len=3");
    expect(textOf(html)).toContain("No name in these lists fits.");
    expect(nicknames(html)).toEqual([]);
  });

  it("says when there are fewer than asked for", async () => {
    const html = await page("?first=Ada&last=Lovelace&count=5");
    expect(nicknames(html)).toEqual(["Ada_Lovelace"]);
    expect(textOf(html)).toContain("That’s all of them");
  });

  it("keeps answers out of search engines and out of shared caches", async () => {
    const { text, headers } = await request(site.app).get("/nicknames?country=ru");
    expect(text).toContain("noindex");
    expect(headers["cache-control"]).toContain("private");
  });

  it.each(["count=1&count=2", "first=%00", `seed=${"x".repeat(65)}`, "mode=", "sex=FEMALE"])(
    "answers cleanly: ?%s",
    async (query) => {
      const { status } = await request(site.app).get(`/nicknames?${query}`);
      expect(status).toBe(query === "mode=" ? 200 : 400);
    },
  );
});

import request, { type Response } from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { SHARED } from "../../src/web/answers/cache-policy.ts";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { useAwayApp, useTestApp } from "../helpers/app.ts";
import { addItem } from "../helpers/donate.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";
import { addEntity } from "../helpers/things.ts";

const site = useTestApp();
const away = useAwayApp();

beforeAll(async () => {
  await addEntity(site.db, "items", "gun", { name: "Gun" });
  await addItem(site.db, { id: "vip" });
});

/** The language of a page, by everything that says it: they have to agree. */
function languageOf({ text, headers }: Response): string {
  const [said = ""] = /<html lang="(\w+)"/.exec(text)?.slice(1) ?? [];
  expect(headers["content-language"]).toBe(said);
  expect(textOf(elements(text, "header").join(" "))).toContain(said === "ru" ? "Предметы" : "Items");
  return said;
}

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["ru", "ru"],
    ["RU", "ru"],
    ["ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "ru"],
    ["ru;q=0.3, en;q=0.7", "en"],
    ["de-DE,de;q=0.9,ru;q=0.5,en;q=0.3", "ru"],
    ["en;q=0, ru;q=0.1", "ru"],
    ["de", "en"],
    ["", "en"],
    [";;;,q=,=", "en"],
    ["r".repeat(5_000), "en"],
    ["toString, __proto__;q=0.5", "en"],
  ])("is that of Accept-Language %j where nothing else tells it: %s", async (asked, language) => {
    const asking = request(site.app).get("/items");
    if (asked !== undefined) asking.set("Accept-Language", asked);
    expect(languageOf(await asking.expect(200))).toBe(language);
  });

  it("is the account's before that of the browser, and the path's before both", async () => {
    const { id, agent } = await site.logIn();
    const ask = (path: string) => agent.get(path).set("Accept-Language", "en");
    expect(languageOf(await ask("/items"))).toBe("en");
    await site.db("users").where({ id }).update({ language: "ru" });
    expect(languageOf(await ask("/items"))).toBe("ru");
    expect(languageOf(await ask("/en/items"))).toBe("en");
    const russian = request(site.app).get("/ru/items").set("Accept-Language", "en");
    expect(languageOf(await russian.expect(200))).toBe("ru");
  });

  it.each(["/ru", "/ru/", "/ru?x", "/ru/?x=/en/items", "/ru/items", "/ru/items/gun", "/ru/login"])(
    "is in the path %s",
    async (path) => {
      expect(languageOf(await request(site.app).get(path).expect(200))).toBe("ru");
    },
  );

  it.each([
    ["/RU", "/ru"],
    ["/RU/search?q=x", "/ru/search?q=x"],
    ["/Ru/items?page=2&sort=name", "/ru/items?page=2&sort=name"],
    ["/eN//evil.test/", "/en//evil.test/"],
  ])("is meant by the path %s, which leads to %s", async (path, target) => {
    await request(site.app).get(path).expect(308).expect("Location", target);
    await request(site.app).post(path).expect(308).expect("Location", target);
  });

  it.each(["/de/items", "/ru-RU/items", "/ru/ru/items", "/ru/en", "/rus", "/toString"])(
    "is not in the path %s, which there is none of",
    async (path) => {
      const page = await request(site.app).get(path).expect(404);
      expect(languageOf(page)).toBe(path.startsWith("/ru/") ? "ru" : "en");
    },
  );

  it.each([
    ...["/ru/api/online", "/ru/api/search?q=a", "/ru/assets/css/web/site.css", "/ru/healthz"],
    ...["/ru/sitemap.xml", "/ru/service-worker.js", "/ru/session"],
  ])("has no say in %s, which is no page: there is none", async (path) => {
    const { headers } = await request(site.app).get(path).expect(404);
    expect(headers["content-type"]).toContain("text/html");
  });
});

describe("names the language of a page", () => {
  it("tells caches what the page depends on: not on Accept-Language where the path says it", async () => {
    const open = await request(site.app).get("/items").expect(200);
    const fixed = await request(site.app).get("/ru/items").expect(200);
    expect(open.headers.vary).toBe("Accept-Encoding, Cookie, Accept-Language");
    expect(fixed.headers.vary).toBe("Accept-Encoding, Cookie");
    expect(fixed.headers["cache-control"]).toBe(SHARED);
  });

  it("is another ETag in another language, and 304 for the one that is there already", async () => {
    const get = (language: string) => request(site.app).get("/items").set("Accept-Language", language);
    const [english, russian] = [await get("en"), await get("ru")];
    const etag = String(english.headers.etag);
    expect(russian.headers.etag).not.toBe(etag);
    await get("en").set("If-None-Match", etag).expect(304);
    await get("ru").set("If-None-Match", etag).expect(200);
  });

  it("names the page in every language, and the address that leaves it open, on each of them", async () => {
    const base = "http://almanac.test";
    for (const path of ["/items/gun", "/en/items/gun", "/ru/items/gun"]) {
      const { text } = await request(site.app).get(path).expect(200);
      const links = [...text.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)].map(
        ([, language, href]) => [language, href],
      );
      expect(links, path).toEqual([
        ["en", `${base}/en/items/gun`],
        ["ru", `${base}/ru/items/gun`],
        ["x-default", `${base}/items/gun`],
      ]);
      expect(text).toContain(`<link rel="canonical" href="${base}${path}">`);
    }
  });

  it("leads to the same view of the page in another language", async () => {
    const { text } = await request(site.app).get("/items?q=gun").expect(200);
    expect(text).toContain('<a href="/ru/items?q=gun" lang="ru" hreflang="ru">Русский</a>');
  });

  it("names the same addresses in the sitemap as in the page's head", async () => {
    const { text } = await request(site.app).get("/sitemap.xml").expect(200);
    for (const path of ["/", "/items/gun", "/docs/api"]) {
      const entry = text.match(new RegExp(`<url><loc>http://almanac.test${path}</loc>.*?</url>`))?.[0] ?? "";
      const head = (await request(site.app).get(path).expect(200)).text;
      const links = /<(?:xhtml:)?link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g;
      const told = (page: string) => [...page.matchAll(links)].map(([, language, href]) => [language, href]);
      expect(told(entry), path).toHaveLength(3);
      expect(told(entry), path).toEqual(told(head));
    }
  });

  it("names no other language of a page that is for nobody to find", async () => {
    for (const path of ["/ru/login", "/ru/nothing"]) {
      expect((await request(site.app).get(path)).text).not.toContain('hreflang="x-default"');
    }
  });

  it("keeps every link to a page in the language of the path", async () => {
    for (const path of ["/ru", "/ru/items/gun", "/ru/login", "/ru/servers", "/ru/nothing"]) {
      const { text } = await request(site.app).get(path);
      const body = text.slice(text.indexOf("<body>")).replace(/<nav class="languages"[\s\S]*?<\/nav>/g, "");
      const links = attributes(body, "href").filter((href) => href.startsWith("/"));
      const fixed = /^\/(ru([/?]|$)|assets\/|api\/|sitemap|robots|healthz|session)/;
      expect(links.length, path).toBeGreaterThan(5);
      expect(
        links.filter((href) => !fixed.test(href)),
        path,
      ).toEqual([]);
    }
  });
});

describe("the feeds that a page offers", () => {
  const feedsOf = ({ text }: Response) =>
    new Set(attributes(text, "href").filter((href) => href.endsWith(".rss")));

  it.each([
    ["/ru", "en", "/ru"],
    ["/en", "ru", "/en"],
    ["", "en", ""],
    ["", "ru", "/ru"],
  ])("below %j to a reader of %s begin with %j: in the page's language", async (before, asked, prefix) => {
    for (const path of ["/items/gun", "/donate", "/"]) {
      const page = await request(site.app)
        .get(before === "" ? path : `${before}${path}`)
        .set("Accept-Language", asked);
      const offered = [...feedsOf(page)];
      expect(offered).toEqual(expect.arrayContaining([`${prefix}/items.rss`, `${prefix}/discounts.rss`]));
      expect(
        offered.filter((href) => !new RegExp(`^${prefix}/[a-z]+\\.rss$`).test(href)),
        `${before}${path}`,
      ).toEqual([]);
    }
  });

  it("are in the account's language before that of the browser", async () => {
    const { id, agent } = await site.logIn();
    await site.db("users").where({ id }).update({ language: "ru" });
    const page = await agent.get("/items").set("Accept-Language", "en").expect(200);
    expect(feedsOf(page)).toEqual(new Set(["/ru/items.rss", "/ru/discounts.rss"]));
    // The pages keep their addresses, and find their language again.
    expect(attributes(page.text, "href")).toContain("/items");
  });
});

describe("a redirect", () => {
  it("keeps the language of the path, from the log-in to the log-out", async () => {
    const { name, password } = await site.createUser();
    const agent = site.agent();
    await agent.get("/ru/favorites").expect(303).expect("Location", "/ru/login?next=%2Fru%2Ffavorites");
    const post = (path: string, form: object) => agent.post(path).type("form").send(form);
    await post("/ru/login", { name, password }).expect(303).expect("Location", "/ru/profile");
    await post("/ru/profile/email", { email: "", current_password: password }).expect(
      "Location",
      "/ru/profile",
    );
    const { text } = await agent.get("/ru/profile").expect(200);
    expect(textOf(mainOf(text))).toContain("Адрес почты не изменился.");
    await agent.get("/ru/login").expect(303).expect("Location", "/ru/profile");
    await post("/ru/logout", {}).expect(303).expect("Location", "/ru");
  });

  it.each([
    ["/ru/login", "/items?x=1", "/ru/items?x=1"],
    ["/ru/login", "/en/items", "/ru/items"],
    ["/login", "/ru/items", "/ru/items"],
    ["/ru/login", "//evil.test", "/ru/profile"],
  ])("after %s with next=%s leads to %s", async (path, next, target) => {
    const { name, password } = await site.createUser();
    await site.post(path, { name, password, next }).expect(303).expect("Location", target);
  });

  it("after a choice of the language leads to a page in it", async () => {
    const { agent } = await site.logIn();
    const choose = (path: string, language: string) => agent.post(path).type("form").send({ language });
    await choose("/profile/locale", "ru").expect("Location", "/profile");
    expect(languageOf(await agent.get("/profile").set("Accept-Language", "en"))).toBe("ru");
    await choose("/ru/profile/locale", "en").expect("Location", "/en/profile");
    await choose("/ru/profile/locale", "").expect("Location", "/ru/profile");
  });

  it("after the registration leads to a page in its language, which the account keeps", async () => {
    const agent = site.agent();
    const form = { name: "Новый игрок", password: "correct horse battery" };
    const sent = agent.post("/ru/register").type("form").set("Accept-Language", "en").send(form);
    await sent.expect(303).expect("Location", "/ru/profile");
    expect(await site.db("users").where({ name: form.name }).first("language")).toEqual({ language: "ru" });
    expect(languageOf(await agent.get("/items").set("Accept-Language", "en"))).toBe("ru");
  });
});

describe("what is wrong with a form", () => {
  it("is in the page's language, beside the field that takes the focus", async () => {
    const form = { name: "я", password: "короткий пароль", email: "нет" };
    const page = await site.post("/ru/register", form).expect(400);
    expect(languageOf(page)).toBe("ru");
    expect(page.text).toContain('id="name-error">Имя: нужно от 2 до 32 символов.<');
    expect(page.text).toContain('id="email-error">Почта: нужен адрес почты, например ann@example.org.<');
    expect(page.text).toContain('value="я"');
    expect(page.text).not.toContain("короткий пароль");
    expect(page.text.match(/ autofocus/g)).toHaveLength(1);
    expect(page.text).toMatch(/<input[^>]* id="name"[^>]* aria-invalid="true" autofocus/);
  });
});

describe("an error of the API", () => {
  const ask = (path: string, language?: string) => {
    const asking = request(site.app).get(path);
    return language === undefined ? asking : asking.set("Accept-Language", language);
  };

  it("is in the requested language, and in English by default", async () => {
    const english = await ask("/api/online?api_key=wrong").expect(401);
    expect(english.body).toMatchObject({ title: "Credentials needed" });
    const russian = await ask("/api/nickname-generator?count=0&min_len=x", "ru-RU,ru;q=0.9").expect(400);
    expect(russian.body).toEqual({
      type: "http://almanac.test/docs/errors#bad-input",
      title: "Неверные данные",
      status: 400,
      detail: "min_len: нужно целое число от 3 до 24; count: нужно целое число от 1 до 100.",
      errors: [
        { param: "min_len", message: "нужно целое число от 3 до 24" },
        { param: "count", message: "нужно целое число от 1 до 100" },
      ],
    });
    for (const language of [undefined, "en", "de", "*"]) {
      const { body } = await ask("/api/nickname-generator?count=0", language).expect(400);
      expect(body.detail, language).toBe("count must be a whole number from 1 to 100.");
    }
  });

  it("says its language, and that caches must ask for it; what is no error says neither", async () => {
    for (const path of ["/api/nothing", "/api/online?api_key=wrong", "/api/nickname-generator?count=0"]) {
      const { headers } = await ask(path, "ru");
      expect(headers["content-language"], path).toBe("ru");
      expect(headers.vary, path).toMatch(/\bAccept-Language\b/);
      expect(headers["cache-control"], path).toBe("no-store");
    }
    for (const path of ["/api/search?q=gun", "/api/openapi.json", "/api/nickname-generator?seed=1"]) {
      const [english, russian] = [await ask(path, "en").expect(200), await ask(path, "ru").expect(200)];
      expect(russian.headers.vary, path).not.toMatch(/Accept-Language/);
      expect(russian.headers["content-language"], path).toBe(english.headers["content-language"]);
      expect(russian.headers.etag, path).toBe(english.headers.etag);
    }
  });
});

describe("an error page", () => {
  it.each([
    ["/ru/items/nothing-like-it", 404, "Не найдено"],
    ["/ru/nothing", 404, "Не найдено"],
    ["/ru/items?page=x", 400, "Неверные данные"],
    ["/ru/items/%ff", 400, "Неверные данные"],
  ])("of %s is in Russian: %i", async (path, status, title) => {
    const page = await request(site.app).get(path).expect(status);
    expect(languageOf(page)).toBe("ru");
    expect(textOf(mainOf(page.text))).not.toMatch(/[A-Za-z]{4,} [a-z]{2,} [a-z]{2,}/);
    if (!path.includes("nothing-like")) expect(textOf(elements(page.text, "h1").join())).toBe(title);
  });

  it("says it too where the fault is in what was sent", async () => {
    const sends: [string, Record<string, string>, string, number][] = [
      ["/ru/items", {}, "", 405],
      ["/ru/login", { "Content-Type": "text/plain" }, "x", 415],
      ["/ru/login", { "Content-Type": "application/x-www-form-urlencoded" }, "x".repeat(70_000), 413],
      ["/ru/login", { Origin: "http://evil.test" }, "", 403],
    ];
    for (const [path, headers, body, status] of sends) {
      const page = await request(site.app).post(path).set(headers).send(body).expect(status);
      const [problem] = Object.values(PROBLEMS).filter((known) => known.status === status);
      expect(languageOf(page)).toBe("ru");
      expect(textOf(elements(page.text, "h1").join())).toBe(problem && translate("ru")(problem.title));
      expect(textOf(mainOf(page.text))).toContain("На главную");
    }
  });

  it("without a database is as much in the language of path or browser", async () => {
    const fixed = await request(away.app).get("/ru/servers").expect(503);
    const asked = await request(away.app).get("/servers").set("Accept-Language", "ru").expect(503);
    for (const page of [fixed, asked]) {
      expect(languageOf(page)).toBe("ru");
      expect(textOf(elements(page.text, "h1").join())).toBe("Сейчас недоступно");
      expect(textOf(mainOf(page.text))).toContain("База данных не отвечает");
      expect(page.headers["retry-after"]).toBeDefined();
    }
  });
});

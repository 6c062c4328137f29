import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { languageOfFile } from "../../src/words/i18n/languages.ts";
import { localName } from "../../src/words/i18n/local-name.ts";
import { nearestTag } from "../../src/words/i18n/nearest-tag.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";
import { ownLanguages, runScript, startSite } from "../helpers/sites.ts";
import { addEntity, addServer } from "../helpers/things.ts";

const TAGS = ["es-419", "pt-BR", "sr-Latn-RS", "zh-Hant"];
/** The names of the sections: enough to see which file a page comes from. */
const textsIn = (tag: string) => ({ kinds: { items: { many: `Items in ${tag}` } } });
const OWN = {
  ...Object.fromEntries(TAGS.map((tag) => [`${tag}.json`, textsIn(tag)])),
  "de.json": { layout: { sections: { label: "Bereiche", servers: "Server der Welt" } } },
  // The site has this language, so single texts are replaced.
  "ru.json": { layout: { sections: { servers: "Миры" } } },
};

const database = useTestDatabase();

describe("languages of the operator's own", () => {
  it("are languages of the site like any other, with English where a file lacks a text", async () => {
    const folder = await ownLanguages(OWN);
    const names = Object.fromEntries(TAGS.map((tag) => [tag, `Gun in ${tag}`]));
    await addEntity(database.db, "items", "gun", { name: "Gun", names });
    await addServer(database.db, "one");
    const { url } = await startSite({
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      WORKER: "0",
      LOG_LEVEL: "error",
    });
    for (const tag of TAGS) await expectLanguage(url, tag);
    await expectNegotiated(url);
    await expectListed(url);
    await expectOwnTexts(url);
    const script = await runScript(
      `import { renderMail } from "./src/notifications/mail/render.ts";
       import { missingTexts } from "./src/words/i18n/translate.ts";
       const data = { name: "ann", link: "http://almanac.test/x", minutes: 5 };
       const { html } = await renderMail({ name: "Almanac", baseUrl: "http://almanac.test" }, "pt-BR", "confirm-email", data);
       process.stdout.write(JSON.stringify({ html, german: missingTexts("de"), russian: missingTexts("ru") }));`,
      folder,
    );
    const { html, german, russian } = JSON.parse(script);
    expect(html).toContain('lang="pt-BR"');
    expect(german).toContain("layout.sections.nicknames");
    expect(german).not.toContain("layout.sections.servers");
    expect(russian).toEqual([]);
  });

  it("with an invalid tag are refused with a line that explains the name", () => {
    expect(languageOfFile("pt-BR.json")).toBe("pt-BR");
    expect(() => languageOfFile("pt_br.json")).toThrow(
      "src/words/i18n/pt_br.json names no language: call it pt-BR.json",
    );
    expect(() => languageOfFile("zh-hant.json")).toThrow("call it zh-Hant.json");
    expect(() => languageOfFile("copy of en.json")).toThrow(
      "call it a language tag (BCP 47) such as pt-BR.json",
    );
  });

  it("stop every command with one line where one has a mistake", async () => {
    const mistakes: [string, string, string][] = [
      ["de.json", '{"layout": null}', "de.json: layout must be a text or an object of texts"],
      ["de.json", '{"home": {"title": 5}}', "de.json: home.title must be a text"],
      ["de.json", '{"home": {"title": ["x"]}}', "de.json: home.title must be a text"],
      ["de.json", "[]", "de.json: must be an object of texts"],
      ["de.json", '{"home":', "de.json is not JSON: "],
      ["pt_br.json", "{}", "pt_br.json names no language: call it pt-BR.json"],
    ];
    await Promise.all(
      mistakes.map(async ([name, content, message]) => {
        const data = await ownLanguages({});
        await writeFile(path.join(data, "languages", name), content);
        // The settings file names the folder, as it does for a site.
        await writeFile(path.join(data, ".env"), `DATA_DIR=${data}\n`);
        const { PATH, HOME } = process.env;
        const doctor = promisify(execFile)(process.execPath, [path.resolve("src/main.js"), "doctor"], {
          cwd: data,
          env: { PATH, HOME },
        });
        const { code, stderr } = await doctor.then(
          () => expect.fail("doctor ran"),
          (error: { code: number; stderr: string }) => error,
        );
        expect(stderr).toMatch(/^almanac: [^\n]+\n$/);
        expect(stderr).toContain(path.join(data, "languages", message));
        expect(code).toBe(1);
      }),
    );
  });
});

/** Pages, an account's settings and a feed in one language. */
async function expectLanguage(url: string, tag: string): Promise<void> {
  const agent = request.agent(url);
  const page = await agent.get(`/${tag}/items/gun`).expect(200);
  expect(page.text).toContain(`<html lang="${tag}"`);
  expect(page.headers["content-language"]).toBe(tag);
  expect(page.text).toContain(`Items in ${tag}`);
  expect(page.text).toContain(`Gun in ${tag}`);
  expect(attributes(page.text, "href")).toContain(`/${tag}/nicknames`);
  await agent.get(`/${tag.toUpperCase()}/items?q=a`).expect(308).expect("Location", `/${tag}/items?q=a`);
  await agent.get(`/${tag}/items.rss`).expect(200).expect("Content-Language", tag);
  const script = attributes(page.text, "src").find((src) => src.includes("/texts/"));
  await agent.get(String(script)).expect(200);
  await agent.get(`/${tag}/offline`).expect(200);
  const account = { name: `user ${tag}`, password: "correct horse battery staple" };
  const send = (path: string, form: object) => agent.post(path).type("form").send(form).expect(303);
  await send(`/${tag}/register`, account);
  const stored = () => database.db("users").where({ name: account.name }).first("language");
  expect(await stored()).toEqual({ language: tag });
  await send("/profile/locale", { language: "en" });
  expect(await stored()).toEqual({ language: "en" });
  await send("/profile/locale", { language: tag });
  expect(await stored()).toEqual({ language: tag });
  expect((await agent.get("/items").set("Accept-Language", "en")).text).toContain(`<html lang="${tag}"`);
}

async function expectNegotiated(url: string): Promise<void> {
  const asked = {
    "pt-BR,pt;q=0.9,en;q=0.8": "pt-BR",
    pt: "pt-BR",
    "pt-PT": "pt-BR",
    "PT-br": "pt-BR",
    "zh-Hant-TW,en;q=0.5": "zh-Hant",
    "sr-Latn,ru;q=0.9": "sr-Latn-RS",
    "es-MX,es;q=0.9": "es-419",
    "fr,ru;q=0.5,pt;q=0.3": "ru",
    "*,pt;q=0.5": "en",
  };
  for (const [header, language] of Object.entries(asked)) {
    const { headers } = await request(url).get("/items").set("Accept-Language", header).expect(200);
    expect(headers["content-language"], header).toBe(language);
  }
}

/** Search engines and the switch know all of them. */
async function expectListed(url: string): Promise<void> {
  const { text } = await request(url).get("/items").expect(200);
  expect(attributes(text, "hreflang")).toEqual(expect.arrayContaining([...TAGS, "de", "en", "ru"]));
  expect(text).toContain("Português (Brasil)");
  const { text: sitemap } = await request(url).get("/sitemap.xml").expect(200);
  for (const tag of TAGS) expect(sitemap).toContain(`hreflang="${tag}"`);
}

async function expectOwnTexts(url: string): Promise<void> {
  const { text } = await request(url).get("/de/search").expect(200);
  expect(text).toContain('<html lang="de"');
  expect(text).toContain('aria-label="Bereiche"');
  expect(elements(text, "nav").map(textOf)).toContainEqual(
    expect.stringMatching(/^Items .*Server der Welt .*Nicknames$/),
  );
  const russian = await request(url).get("/ru/search").expect(200);
  expect(elements(russian.text, "nav").map(textOf)).toContainEqual(
    expect.stringMatching(/^Предметы .*Миры .*Никнеймы$/),
  );
}

describe("nearestTag", () => {
  it.each([
    ["pt-BR", ["en", "pt", "pt-BR"], "pt-BR"],
    ["pt-BR", ["en", "pt", "pt-PT"], "pt"],
    ["pt-BR", ["en", "pt-PT"], "pt-PT"],
    ["pt", ["pt-PT", "pt-BR"], "pt-BR"],
    ["zh-Hant-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"],
    ["RU", ["ru-RU"], "ru-RU"],
    ["p", ["pt"], undefined],
    ["", ["pt"], undefined],
    ["pt", [], undefined],
  ])("of %s among %j is %s", (wanted, tags, nearest) => {
    expect(nearestTag(wanted, tags)).toBe(nearest);
  });

  it("is what a record's name is chosen by", () => {
    const names = { pt: "Arma", ru: "Оружие" };
    expect(localName({ name: "Gun", names }, "pt-BR")).toMatchObject({
      name: "Arma",
      lang: "pt",
      other: { name: "Gun", lang: undefined },
    });
  });
});

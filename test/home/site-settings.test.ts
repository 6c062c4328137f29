import path from "node:path";
import { pino } from "pino";
import request from "supertest";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { confirmationJob } from "../../src/accounts/mail-jobs.ts";
import { followSettings } from "../../src/commands/jobs/background.ts";
import { openVocabulary } from "../../src/commands/prepare-own-kinds.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { LiveSettings } from "../../src/db/live-settings.ts";
import { readStored, saveStored } from "../../src/db/site-settings-queries.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { hiddenSections, setHiddenSections } from "../../src/words/kinds/hidden-sections.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, TEST_CONFIG, type TestApp, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { kind, makeTables, useOwnKinds } from "../helpers/own-kinds.ts";
import { type SmtpMood, startSmtpPeer } from "../helpers/peers/smtp.ts";
import { routePathsOf } from "../helpers/routes.ts";
import { addEntity } from "../helpers/things.ts";

const HERE = { range: "127.0.0.1/32", port: undefined };
const PAGE = "/operator/site";
const FORM = "/suggest/items/knife";
const site = useTestApp({ privateAddresses: [HERE] });
let agent: Agent;

beforeAll(async () => {
  agent = await logInOperator(site);
});

beforeEach(async () => {
  await site.db("settings").where({ key: "site" }).delete();
});

afterEach(() => setHiddenSections([]));

async function logInOperator(of: TestApp): Promise<Agent> {
  return (await of.logIn(await of.createUser({ role: "operator" }))).agent;
}

/** Sends the form as it is shown, with some fields changed; undefined unchecks a box. */
async function send(changes: Record<string, string | undefined>, status = 303, by = agent) {
  const { text } = await by.get(PAGE).expect(200);
  const [main = ""] = mainOf(text).split('enctype="multipart');
  const texts = [...main.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>\n?([^<]*)/g)].map(
    ([, name, value]) => [name, value],
  );
  const boxes = [...main.matchAll(/<input type="checkbox" value="1"( checked)?[^>]* name="([^"]+)"/g)];
  const unchecked = boxes.filter(([, checked]) => !checked).map(([, , name]) => [name, undefined]);
  const form = {
    ...inputsOf(main),
    step: "save",
    ...Object.fromEntries([...texts, ...unchecked]),
    ...changes,
  };
  const fields = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined));
  return by.post(PAGE).type("form").send(fields).expect(status);
}

const saved = async () => (await readStored(site.db, TEST_CONFIG.sessionSecret)).stored;

describe("the site's settings in the browser", () => {
  it("change pages, the manifest, feeds and the API's document at once, also in other processes", async () => {
    const other = await site.another();
    for (const app of [site.app, other])
      expect((await request(app).get("/")).text).toContain("<title>Almanac</title>");
    await send({
      SITE_NAME: "Lore & Loot",
      SITE_ACCENT: "#1a66cc",
      SITE_LINKS: "Forum|ru:Форум = https://forum.example\r\nRules = https://rules.example",
      "HOME_TEXT.en": "Welcome!\r\n\r\nSee https://news.example",
      "HOME_TEXT.ru": "Привет|ru: <b>",
    });
    // The first request reads the feed; those after it see what changed.
    await request(other).get("/");
    for (const app of [site.app, other]) {
      const { text } = await request(app).get("/");
      expect(text).toContain("<title>Lore &#38;amp; Loot</title>".replace("&#38;amp;", "&amp;"));
      expect(text).toMatch(/look\/accent-/);
      expect(attributes(text, "href")).toEqual(
        expect.arrayContaining(["https://forum.example/", "https://rules.example/", "https://news.example"]),
      );
      expect((await request(app).get("/ru/")).text).toContain("Привет| ru: &lt;b&gt;");
    }
    expect((await request(other).get("/manifest.webmanifest")).body.name).toBe("Lore & Loot");
    expect((await request(other).get("/opensearch.xml")).text).toContain("Lore &amp; Loot");
    expect((await request(other).get("/api/openapi.json")).body.info.title).toContain("Lore & Loot");
    expect((await agent.get(PAGE)).text).toContain("Forum|ru:Форум = https://forum.example\nRules");
  });

  it("switch a section off and on, with its API and its part of the search", async () => {
    await addEntity(site.db, "houses", "villa");
    await request(site.app).get("/houses").expect(200);
    const preview = async () => /og:image" content="([^"]+)/.exec(await site.page("/"))?.[1];
    const before = await preview();
    await send({ "section.houses": undefined });
    await request(site.app).get("/houses").expect(404);
    expect(attributes(await site.page("/"), "href")).not.toContain("/houses");
    expect(await preview()).not.toEqual(before);
    await send({ "section.houses": "1" });
    await request(site.app).get("/houses/villa").expect(200);
    expect(await site.search.ids("houses", "villa", 5)).toEqual(["villa"]);
  });

  it("let visitors report mistakes, and stop that", async () => {
    await addEntity(site.db, "items", "knife");
    const ask = () => Promise.all([request(site.app).get(FORM), request(site.app).post(FORM).send("note=a")]);
    const statuses = async () => (await ask()).map(({ status }) => status);
    expect(await statuses()).toEqual([303, 401]);
    await send({ ANONYMOUS_REPORTS: "1" });
    expect(await statuses()).toEqual([200, 303]);
    await send({ ANONYMOUS_REPORTS: undefined });
    expect(await statuses()).toEqual([303, 401]);
    expect(await site.db("suggestions")).toHaveLength(1);
  });

  it.each([
    ["a name that is too long", { SITE_NAME: "n".repeat(61) }],
    ["an accent that is no colour", { SITE_ACCENT: "reddish" }],
    ["a link to a script", { SITE_LINKS: "Forum = javascript:alert(1)" }],
    ["a line that is no link", { SITE_LINKS: "https://forum.example" }],
    [
      "an announcement that ends before it begins",
      { "ANNOUNCEMENT.0.en": "Hi", "from.0": "2027-01-02T10:00", "until.0": "2027-01-02T10:00" },
    ],
    ["an announcement at no time", { "ANNOUNCEMENT.0.en": "Hi", "from.0": "soon" }],
    ["a mail server with a user in it", { smtp_host: "me@mail.example" }],
    ["a port that is none", { smtp_host: "mail.example", smtp_port: "99999" }],
    ["a sender with a second line", { MAIL_FROM: "a@b.example\nBcc: c@d.example" }],
    ["a NUL", { SITE_NAME: "a\0b" }],
  ])("refuse %s, and keep what was typed", async (_what, changes) => {
    const { text } = await send({ "HOME_TEXT.ru": "Не потеряйте", ...changes }, 400);
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain("Не потеряйте");
    expect(await saved()).toEqual({});
  });

  it("name the one field that is wrong, and the line of a link", async () => {
    const texts = { "ANNOUNCEMENT.0.en": "Hi", "ANNOUNCEMENT.1.en": "Later" };
    const times = { "from.1": "2027-01-02T10:00", "until.1": "2027-01-02T09:00" };
    const SITE_LINKS = "Forum = https://forum.example\n\nRules: https://rules.example";
    // The form has room for a second announcement once there is a first.
    await send({ "ANNOUNCEMENT.0.en": "Hi" });
    const { text } = await send({ ...texts, ...times, SITE_LINKS }, 400);
    const errors = [...text.matchAll(/id="([^"]+)-error"[^>]*>([^<]+)/g)].map(([, ...found]) => found);
    expect(errors).toEqual([
      ["SITE_LINKS", "Line 3 can’t be used. Write it like this: Forum = https://forum.example"],
      ["until.1", "End must be after the start."],
    ]);
  });

  it("refuse to replace what another operator saved meanwhile, until the form is sent again", async () => {
    const { text } = await agent.get(PAGE);
    await send({ SITE_NAME: "Theirs" });
    const shown = inputsOf(mainOf(text).split('enctype="multipart')[0] ?? "");
    const stale = { ...shown, SITE_NAME: "Mine", step: "save" };
    const answer = await agent.post(PAGE).type("form").send(stale).expect(409);
    expect(answer.text).toContain('value="Mine"');
    expect(await saved()).toMatchObject({ SITE_NAME: "Theirs" });
    const again = { ...stale, seen: inputsOf(answer.text).seen };
    await agent.post(PAGE).type("form").send(again).expect(303);
    expect(await saved()).toMatchObject({ SITE_NAME: "Mine" });
  });

  it("are recorded in the audit log, without a password", async () => {
    const server = { smtp_host: "mail.example", smtp_user: "ann", smtp_password: "s3cret#1" };
    await send({ SITE_NAME: "Audited", ...server });
    const lines = site.db("audit_log").where({ action: "settings.changed" });
    const line = await lines.orderBy("id", "desc").first();
    expect(line.after).toEqual({
      SITE_NAME: "Audited",
      SMTP_URL: "smtp://ann:***@mail.example:587 (changed)",
    });
  });
});

describe("kinds of the operator's own", () => {
  const file = useOwnKinds();
  const own = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));
  /** An own kind beside a built-in one with the same pages, the map included. */
  const [mine, builtIn] = ["camps", "houses"];
  let by: Agent;

  beforeAll(async () => {
    await makeTables(own.db);
    by = await logInOperator(own);
    for (const each of [kind("camps"), "houses"] as const)
      await insertRecords(own.db, each, [{ id: "one", name: "Golden one", attributes: { x: 1, y: 2 } }]);
  });

  /** What every address of a kind answers to a read, by address; `kind` stands for it. */
  async function statusesOf(paths: readonly string[], of: string): Promise<Record<string, number>> {
    const asked = paths.map(async (path) => {
      const place = path.replaceAll("kind", of).replace(":id", "one").replace(":file", "none");
      return [path, (await by.get(place)).status] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  }

  it("switch off and on like a built-in kind, at all their addresses", async () => {
    const routes = routePathsOf(own.app.express);
    const { text: sitemap } = await by.get("/sitemap.xml");
    expect(sitemap).toContain("/camps/one<");
    const word = new RegExp(`\\b${mine}\\b`);
    const fixed = routes.filter((path) => word.test(path));
    const paths = [...fixed.map((path) => path.replace(mine, "kind")), "/sitemap-kind-1.xml"];
    const shared = routes
      .filter((path) => path.includes(":kind"))
      .map((path) => path.replace(":kind", "kind"));
    const all = [...paths, ...shared];
    expect(paths.length).toBeGreaterThan(10);
    const shown = await statusesOf(all, mine);
    expect(Object.values(shown).filter((status) => status === 200).length).toBeGreaterThan(12);
    await send({ [`section.${mine}`]: undefined, [`section.${builtIn}`]: undefined }, 303, by);
    expect(await statusesOf(paths, mine)).toEqual(Object.fromEntries(paths.map((path) => [path, 404])));
    expect(await statusesOf(shared, mine)).toEqual(await statusesOf(shared, builtIn));
    const found = await by.get("/api/search/all?q=golden").expect(200);
    expect(Object.keys(found.body)).not.toContain(mine);
    for (const page of ["/", "/ru/search?q=golden", "/favorites", "/docs/api", "/operator", "/changes"]) {
      const { text } = await by.get(page).expect(200);
      const links = [
        ...attributes(text, "href"),
        ...attributes(text, "action"),
        ...attributes(text, "value"),
      ];
      expect([page, links.filter((link) => word.test(link))]).toEqual([page, []]);
    }
    for (const listed of ["/sitemap.xml", "/api/openapi.json", "/robots.txt"])
      expect([listed, word.test((await by.get(listed).expect(200)).text)]).toEqual([listed, false]);
    await send({ [`section.${mine}`]: "1", [`section.${builtIn}`]: "1" }, 303, by);
    expect(await statusesOf(all, mine)).toEqual(shown);
  });

  it("are named in the language of the page, and follow the environment", async () => {
    expect(textOf((await by.get(`/ru${PAGE}`)).text)).toContain("Квесты");
    const open = (SECTIONS_OFF: string) => {
      const config = loadConfig({ SECTIONS_OFF, SITE_SCHEMA: file.path, DATA_DIR: path.dirname(file.path) });
      return openVocabulary(config, { db: own.db, log: pino({ level: "silent" }), err: () => undefined });
    };
    await open("Quests, map");
    expect(hiddenSections()).toEqual(["map", "quests"]);
    await expect(open("quests, boats")).rejects.toThrow(
      "SECTIONS_OFF: has boats, which is none of items, vehicles, scripts, houses, businesses, quests, camps, nicknames,",
    );
  });
});

describe("the announcement", () => {
  it("is on every page in the reader's language while it lasts, cached pages included", async () => {
    await request(site.app).get("/items");
    await send({ "ANNOUNCEMENT.0.ru": "Ночью **работы**", "until.0": "2099-01-01T00:00" });
    for (const path of ["/items", "/ru/items", "/nowhere"])
      expect((await request(site.app).get(path)).text).toContain("Ночью <strong>работы</strong>");
    await send({ "ANNOUNCEMENT.0.en": "Repairs" });
    expect((await request(site.app).get("/items")).text).toContain("Repairs");
    await send({ "from.0": "2098-01-01T00:00" });
    expect((await request(site.app).get("/items")).text).not.toContain("Repairs");
  });
});

describe("several announcements", () => {
  const shown = async (by = site.agent(), path = "/items") =>
    [
      ...(await by.get(path)).text.matchAll(
        /<form class="notice is-info[\s\S]*?<p>([^<]*)[\s\S]*?value="(\w+)"/g,
      ),
    ].map(([, text = "", id = ""]) => ({ text, id }));
  const texts = async (by = site.agent(), path = "/items") => (await shown(by, path)).map(({ text }) => text);
  const dismiss = (by: Agent, id = "", path = "/ru/items?q=a") =>
    by.post("/announcements").set("Referer", `${TEST_CONFIG.baseUrl}${path}`).type("form").send({ id });

  beforeEach(async () => {
    // The form has room for one more than there are.
    for (const announcement of [
      { "ANNOUNCEMENT.0.en": "A || b|", "ANNOUNCEMENT.0.ru": "А" },
      { "ANNOUNCEMENT.1.ru": "Позже", "from.1": "2020-01-02T00:00" },
      { "ANNOUNCEMENT.2.en": "Earlier", "from.2": "2020-01-01T00:00", "until.2": "2099-01-01T00:00" },
      { "ANNOUNCEMENT.3.en": "Tomorrow", "from.3": "2098-01-01T00:00" },
    ])
      await send(announcement);
  });

  it("are shown in the order of their starts, each in its period and language", async () => {
    expect(await texts()).toEqual(["A | | b|", "Earlier", "Позже"]);
    expect(await texts(site.agent(), "/ru/items")).toEqual(["А", "Earlier", "Позже"]);
    const before = await saved();
    await send({});
    await send({});
    expect(await texts()).toEqual(["A | | b|", "Earlier", "Позже"]);
    expect((await saved()).ANNOUNCEMENT?.length).toBe(before.ANNOUNCEMENT?.length);
    await send({ "ANNOUNCEMENT.0.en": "", "ANNOUNCEMENT.0.ru": "" });
    expect(await texts()).toEqual(["Earlier", "Позже"]);
  });

  it("are dismissed one by one, by each reader, without script and on cached pages", async () => {
    const user = (await site.logIn()).agent;
    for (const reader of [site.agent(), user]) {
      const all = await shown(reader);
      expect(all).toHaveLength(3);
      const answer = await dismiss(reader, all[1]?.id).expect(303).expect("Location", "/ru/items?q=a");
      expect(answer.headers["set-cookie"]?.[0]).toMatch(/^almanac\.dismissed=\w+; .*HttpOnly; SameSite=Lax/);
      for (let repeated = 0; repeated < 3; repeated++) {
        expect(await texts(reader)).toEqual(["A | | b|", "Позже"]);
        expect(await texts()).toHaveLength(3);
      }
      await dismiss(reader, all[0]?.id);
      expect(await texts(reader)).toEqual(["Позже"]);
    }
    await send({ "ANNOUNCEMENT.1.en": "Earlier than planned" });
    expect(await texts(user)).toEqual(["Earlier than planned", "Позже"]);
  });

  it("stay for who dismisses another, or nothing", async () => {
    const reader = site.agent();
    await dismiss(reader, "none").expect(303);
    await reader.post("/announcements").expect(303).expect("Location", "/");
    await reader
      .post("/announcements")
      .send({ id: { toString: 1 } })
      .expect(303);
    await reader.post("/announcements").set("Referer", "https://evil.example/x").expect("Location", "/");
    expect(await texts(reader)).toHaveLength(3);
  });
});

it("announcements are five at most", () => {
  expect(loadConfig({ ANNOUNCEMENT: "a||b||c||d||e||" }).announcements).toHaveLength(5);
  expect(() => loadConfig({ ANNOUNCEMENT: "a||b||c||d||e||f" })).toThrow("ANNOUNCEMENT: must be at most 5");
});

describe("the announcement's period", () => {
  it("is in the zone that the form names, which is the user's own at first", async () => {
    const times = { "from.0": "2098-07-01T12:00", "until.0": "2098-07-02T12:00" };
    expect(inputsOf(mainOf((await agent.get(PAGE)).text)).zone).toBe("UTC");
    await send({ "ANNOUNCEMENT.0.en": "Repairs", ...times, zone: "Asia/Tokyo" });
    expect((await saved()).ANNOUNCEMENT).toMatch(/^2098-07-01T03:00:00.000Z\/2098-07-02T03:00:00.000Z /);
    expect(inputsOf(mainOf((await agent.get(PAGE)).text))).toMatchObject({
      "from.0": "2098-07-01T03:00",
      zone: "UTC",
    });
    const { text } = await send({ ...times, zone: "Moon/Base" }, 400);
    expect(text).toContain("must be the name of a time zone");
    expect(inputsOf(mainOf(text))).toMatchObject(times);
    expect((await saved()).ANNOUNCEMENT).toContain("2098-07-01T03:00");
  });

  it("begins and ends on cached pages by the clock", async () => {
    const times = { "from.0": "2098-01-01T00:00", "until.0": "2098-01-02T00:00" };
    await send({ "ANNOUNCEMENT.0.en": "Repairs", ...times });
    const isShown = async () => {
      const texts = [await site.page("/items"), await site.page("/items"), await site.page("/items")];
      return texts.map((text) => text.includes("Repairs"));
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const [time, shown] of [
      ["2097-12-31T23:59Z", false],
      ["2098-01-01T00:00Z", true],
      ["2098-01-02T00:00Z", false],
    ] as const) {
      vi.setSystemTime(new Date(time));
      expect(await isShown()).toEqual([shown, shown, shown]);
    }
  });
});

describe("the mail server", () => {
  it("has a password that no page shows, that the database has encrypted, and that stays unless the server changes", async () => {
    await send({ smtp_host: "mail.example", smtp_user: "ann", smtp_password: "p@ss#/1" });
    expect((await saved()).SMTP_URL).toBe("smtp://ann:p%40ss%23%2F1@mail.example:587");
    expect((await agent.get(PAGE)).text).not.toMatch(/p@ss|p%40ss/);
    expect(JSON.stringify(await site.db("settings").where({ key: "site" }))).not.toMatch(/p@ss|p%40ss/);
    expect((await readStored(site.db, "another secret")).stored).toEqual({});
    await send({ SITE_NAME: "Another" });
    expect(await saved()).toMatchObject({
      SITE_NAME: "Another",
      SMTP_URL: expect.stringContaining("p%40ss"),
    });
    const { text } = await send({ smtp_host: "evil.example" }, 400);
    expect(textOf(text)).toContain("Enter the password again");
    await send({ smtp_host: "" });
    expect((await saved()).SMTP_URL).toBeUndefined();
  });

  async function test(changes: Record<string, string>, mood: SmtpMood = "accepts") {
    const peer = await startSmtpPeer({ mood });
    onTestFinished(() => peer.stop());
    const server = { smtp_host: "127.0.0.1", smtp_port: String(peer.port), to: "ann@example.org" };
    await send({ ...server, step: "test", ...changes });
    const [, said = ""] = /<p class="notice[^>]*role[^>]*>([^<]*)/.exec((await agent.get(PAGE)).text) ?? [];
    return { said, peer };
  }

  it("gets a test mail, and the page shows what it answered", async () => {
    const { said, peer } = await test({ SITE_NAME: "Postal", MAIL_FROM: "Site <site@example.org>" });
    expect(said).toMatch(/sent in [\d.]+ s\. The server answered: 250/);
    expect(peer.mails).toMatchObject([{ from: "site@example.org", to: ["ann@example.org"] }]);
    expect(peer.mails[0]?.raw).toContain("Test e-mail from Postal");
  });

  it("that refuses the mail is named as the reason", async () => {
    expect((await test({}, "rejectsRecipient")).said).toMatch(/the server answered: 550/);
  });

  it("is that of jobs of every process, and the site's new name is in their mails", async () => {
    const { id } = await site.createUser();
    await site.db("users").where({ id }).update({ email: "ann@example.org" });
    const settings = new LiveSettings({ ...TEST_CONFIG, privateAddresses: [HERE] });
    const jobs = followSettings(settings, { db: site.db, log: pino({ level: "silent" }) });
    onTestFinished(() => jobs.stop());
    const { peer } = await test({ SITE_NAME: "Postal", to: "" });
    await settings.follow(site.db);
    const { at } = await site.db("users").where({ id }).first(site.db.raw("password_changed_at::text as at"));
    await addJobs(site.db, [confirmationJob(id, at)]);
    await expect.poll(() => peer.mails[0]?.raw, { timeout: 20_000 }).toContain("Postal");
  });

  it("is not reached on a private address, except mail ports of this machine", async () => {
    expect((await test({ smtp_host: "169.254.169.254", smtp_port: "25" })).said).toContain("private network");
    expect((await test({ smtp_host: "[::1]", smtp_port: "22" })).said).toContain("private network");
    expect((await test({ smtp_host: "127.0.0.2", smtp_port: "2525" })).said).toContain("did not answer");
  });
});

describe("the logo", () => {
  const upload = (content: string | Buffer, filename: string) =>
    agent.post(`${PAGE}/logo`).attach("logo", Buffer.from(content), { filename });
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>';

  it("is served after an upload, and the site's own after its removal", async () => {
    await upload(SVG, "logo.svg").expect(303);
    const [address = ""] = /\/assets\/look\/logo-[0-9a-f]+\.svg/.exec(await site.page("/")) ?? [];
    const { body, type } = await request(site.app).get(address).expect(200);
    expect([type, body.toString()]).toEqual(["image/svg+xml", SVG]);
    await upload("", "").field("remove", "1").expect(303);
    expect(await site.page("/")).not.toContain("/assets/look/logo-");
  });

  it.each([
    ["an SVG with a handler", SVG.replace("<circle", '<circle onload="alert(1)"'), "a.svg", 400],
    ["a text", "not a picture", "a.png", 400],
    [
      "a picture of another type",
      Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
      "a.gif",
      400,
    ],
    ["no file", "", "", 400],
  ])("is not %s", async (_what, content, name, status) => {
    const { text } = await upload(content, name).expect(status);
    expect(text).toContain('aria-invalid="true"');
    expect(await saved()).toEqual({});
  });

  it("is at most 512 KB, and the form says so about any larger file", async () => {
    for (const kilobytes of [600, 21 * 1024]) {
      const { text } = await upload(Buffer.alloc(kilobytes * 1024, SVG), "big.svg").expect(413);
      expect(text).toContain("big.svg is larger than 512 KB.");
    }
    expect(await saved()).toEqual({});
  });
});

describe("a setting of the environment", () => {
  const given = { SITE_NAME: "Fixed", SMTP_URL: "smtp://ann:s3cret@mail.example:25", SITE_LOGO: "logo.svg" };
  const fixed = useTestApp({ given, siteName: "Fixed" });

  it("is shown without its password, with its name, and cannot be changed", async () => {
    // Saved before the environment had it.
    await saveStored(fixed.db, COMMAND, TEST_CONFIG.sessionSecret, { SITE_NAME: "Earlier" });
    const by = await logInOperator(fixed);
    const { text } = await by.get(PAGE).expect(200);
    expect(text).toMatch(/<input type="text" value="Fixed"[^>]*disabled/);
    expect(text).toContain("<code>SMTP_URL</code>");
    expect(text).not.toContain("s3cret");
    const form = {
      step: "save",
      seen: inputsOf(text).seen,
      SITE_NAME: "Stolen",
      smtp_host: "evil.example",
      SITE_ACCENT: "#123456",
    };
    await by.post(PAGE).type("form").send(form).expect(303);
    expect(await fixed.page("/")).toContain("<title>Fixed</title>");
    const { stored } = await readStored(fixed.db, TEST_CONFIG.sessionSecret);
    expect([stored.SITE_NAME, stored.SMTP_URL, stored.SITE_ACCENT]).toEqual([
      "Earlier",
      undefined,
      "#123456",
    ]);
    await by
      .post(`${PAGE}/logo`)
      .field("remove", "1")
      .attach("logo", Buffer.alloc(0), { filename: "" })
      .expect(400);
  });
});

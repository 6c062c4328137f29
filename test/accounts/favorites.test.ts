import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { favoriteEndpoints } from "../../src/accounts/favorites/api.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { type Agent, useAwayApp, useTestApp } from "../helpers/app.ts";
import { openTransaction, waitForLocks } from "../helpers/database.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();

const SERVER = "/api/favorites/toggle";
const DONATE = "/api/donate_favorites/toggle";
const ENTITY = "/api/entity_favorites/toggle";
const ENTRY = "/api/entry_favorites/toggle";

const ODD_ID = "a/b ?#&=%20+é'\"<>\\ 日本 😀";

let agent: Agent;

beforeAll(async () => {
  for (const id of ["s1", "411", ODD_ID]) await addServer(site.db, id);
  for (const id of ["d1", ODD_ID]) await addDonateItem(site.db, id);
  for (const table of BUILT_IN_KINDS) {
    for (const id of ["e1", ODD_ID]) await addEntity(site.db, table, id);
  }
  ({ agent } = await site.logIn());
});

/** Every toggle with a thing that exists, and the same with one that does not. */
const TOGGLES = [
  { path: SERVER, known: { server_id: "s1" }, unknown: { server_id: "none" }, page: "/servers/s1" },
  { path: DONATE, known: { item_key: "d1" }, unknown: { item_key: "none" }, page: "/donate/d1" },
  ...[
    { path: ENTITY, kind: "item", page: "/items/e1" },
    { path: ENTITY, kind: "house", page: "/houses/e1" },
    { path: ENTITY, kind: "business", page: "/businesses/e1" },
    { path: ENTRY, kind: "vehicle", page: "/vehicles/e1" },
    { path: ENTRY, kind: "script", page: "/scripts/e1" },
  ].map(({ path, kind, page }) => ({
    path,
    known: { kind, entity_id: "e1" },
    unknown: { kind, entity_id: "none" },
    page,
  })),
];

/** What is no page of this site, as a Referer. */
const FOREIGN = [
  "",
  "https://evil.example/favorites",
  "http://almanac.test@evil.example/",
  "http://almanac.test.evil.example/",
  "http://almanac.test//evil.example/",
  "http://almanac.test/\\evil.example/",
  "/favorites",
  "not a url",
];

/** The request of a browser without script that stands on the page `referer`. */
function plainForm(post: request.Test, referer: string): request.Test {
  return post
    .type("form")
    .set("Accept", "text/html,*/*;q=0.8")
    .set("Host", "almanac.test")
    .set("Referer", referer);
}

/** The previous form's message on a page, as markup without line ends. */
function flashOf(html: string): string | undefined {
  return /<(p|div) class="notice is-[\s\S]*?<\/\1>/.exec(html)?.[0].replace(/\s*\n\s*/g, "");
}

function totalRows() {
  const tables = ["server_favorites", "donate_favorites", "entity_favorites"];
  return Promise.all(tables.map((table) => site.db(table).count()));
}

/** One of each path. */
const PATHS = TOGGLES.filter(({ path }, at) => TOGGLES.findIndex((each) => each.path === path) === at);

describe.each(TOGGLES)("$path with $known", ({ path, known, unknown }) => {
  const schema = favoriteEndpoints().find((declared) => declared.path === path)?.output;

  it("flips at each call and returns the new state", async () => {
    const { agent } = await site.logIn();
    for (const favorite of [true, false, true]) {
      const answer = await agent.post(path).send(known).expect(200);
      expect(answer.body).toEqual({ ...known, favorite });
      expect(schema?.parse(answer.body)).toEqual(answer.body);
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  it("stores nothing for a thing that does not exist: 404", async () => {
    const before = await totalRows();
    const answer = await agent.post(path).send(unknown).expect(404);
    expect(answer.body).toMatchObject({ status: 404, type: "http://almanac.test/docs/errors#not-found" });
    expect(await totalRows()).toEqual(before);
  });
});

describe.each(PATHS)("$path", ({ path, known, unknown, page }) => {
  const foreign = path === SERVER ? FOREIGN : FOREIGN.slice(0, 2);

  it("tells a plain form's next page what it did, in its language, with a form that takes it back", async () => {
    const user = await site.logIn();
    const referer = `http://almanac.test/ru${page}`;
    await plainForm(user.agent.post(path), referer).send(known).expect("Location", `/ru${page}`);
    const added = await user.agent.get(`/ru${page}`).expect(200);
    expect(textOf(added.text)).toContain(": добавлено в избранное.");
    const [undo = ""] = elements(added.text, "form").filter((form) => form.includes("Отменить"));
    const fields = Object.fromEntries(
      attributes(undo, "name").map((name, at) => [name, attributes(undo, "value")[at] ?? ""]),
    );
    expect(fields).toEqual({ ...known, wanted: "no" });
    await plainForm(user.agent.post(path), `http://almanac.test${page}`).send(fields).expect(303);
    const { text } = await user.agent.get(page);
    expect(textOf(text)).toContain("was removed from your favorites.");
    expect(text).toContain('aria-pressed="false"');
    expect((await user.agent.get(page)).text).not.toContain("removed from your favorites");
  });

  it("takes a JSON body, a form body or the query string alike", async () => {
    const user = await site.logIn();
    const answers = [
      await user.agent.post(path).send(known),
      await user.agent.post(path).type("form").send(known),
      await user.agent.post(path).query(known),
      await user.agent.post(path).query(known).send(known),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ body }) => body.favorite)).toEqual([true, false, true, false]);
  });

  it("refuses two places that disagree", async () => {
    const before = await totalRows();
    const answer = await agent.post(path).query(unknown).send(known).expect(400);
    expect(answer.body.errors[0].message).toBe("has different values in the body and the query");
    expect(await totalRows()).toEqual(before);
  });

  it("sends a plain form back to the page it was on, or to the thing's page", async () => {
    const user = await site.logIn();
    const send = (referer: string) => plainForm(user.agent.post(path), referer).send(known).expect(303);
    await send("http://almanac.test/favorites?x=1").expect("Location", "/favorites?x=1");
    for (const referer of foreign) await send(referer).expect("Location", page);
  });

  it("sends a plain form of a visitor to the log-in page, and back after it", async () => {
    const send = (referer: string) =>
      plainForm(request(site.app).post(path), referer).send(known).expect(303);
    const back = (from: string) => encodeURIComponent(from);
    await send(`http://almanac.test${page}?x=1`).expect("Location", `/login?next=${back(`${page}?x=1`)}`);
    const russian = `/ru${page}?x=1`;
    await send(`http://almanac.test${russian}`).expect("Location", `/ru/login?next=${back(russian)}`);
    await send("https://evil.example/favorites").expect("Location", `/login?next=${back(page)}`);
  });

  it("says that the session has ended only if the browser sent one", async () => {
    const send = (cookie: string) =>
      plainForm(request(site.app).post(path), "https://evil.example/").set("Cookie", cookie).send(known);
    const address = `/login?next=${encodeURIComponent(page)}`;
    await send("almanac.sid=ended").expect("Location", `${address}&ended=yes`);
    await send("almanac.sid=anonymous.99999999999.x").expect("Location", address);
  });

  it("reaches the wanted state, for any number of concurrent calls", async () => {
    const user = await site.logIn();
    const send = (fields: object, wanted: string) => user.agent.post(path).send({ ...fields, wanted });
    const want = async (wanted: string) => (await send(known, wanted).expect(200)).body.favorite;
    for (const wanted of ["yes", "no"]) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => want(wanted)));
      expect(answers).toEqual(Array(5).fill(wanted === "yes"));
      const { text } = await user.agent.get("/favorites");
      expect(text.match(/<form class="favorite"/g) ?? []).toHaveLength(wanted === "yes" ? 1 : 0);
    }
    await send(known, "maybe").expect(400);
    // Nor is a thing that does not exist no favorite.
    for (const wanted of ["yes", "no"]) await send(unknown, wanted).expect(404);
    expect(await want("no")).toBe(false);
  });

  it("tells a plain form's page, in its language, that there is no such thing", async () => {
    const user = await site.logIn();
    const send = (referer: string) => plainForm(user.agent.post(path), referer);
    await send(`http://almanac.test/ru${page}`).send(known).expect(303);
    const refused = await send("http://almanac.test/ru/favorites").send(unknown).expect(303);
    expect(refused.headers).toMatchObject({ location: "/ru/favorites", "cache-control": "no-store" });
    const { text } = await user.agent.get("/ru/favorites").expect(200);
    expect(textOf(text)).toMatch(/Так(ого|ой|их)[^.]+ нет\./);
    expect(elements(text, "form").some((form) => form.includes("Отменить"))).toBe(false);
    await send("https://evil.example/favorites").send(unknown).expect(303).expect("Location", "/");
    await plainForm(user.agent.post(path), "").set("Accept", "*/*").send(unknown).expect(404);
  });

  it("leaves ten toggles at once as they were, and eleven flipped", async () => {
    const user = await site.logIn();
    const toggle = async () => (await user.agent.post(path).send(known).expect(200)).body.favorite;
    for (const [count, favorites] of [
      [10, 5],
      [11, 6],
    ]) {
      const answers = await Promise.all(Array.from({ length: Number(count) }, toggle));
      expect(answers.filter((favorite) => favorite)).toHaveLength(Number(favorites));
    }
    expect(await toggle()).toBe(false);
  });
});

describe("parameters of a toggle", () => {
  it("may be a number, taken as its text", async () => {
    const answer = await agent.post(SERVER).send({ server_id: 411 }).expect(200);
    expect(answer.body).toEqual({ server_id: "411", favorite: true });
    // It agrees with its text in the query.
    await agent.post(`${SERVER}?server_id=411`).send({ server_id: 411 }).expect(200);
  });

  it("may be any id that a game has", async () => {
    const form = await agent.post(SERVER).type("form").send({ server_id: ODD_ID }).expect(200);
    expect(form.body).toEqual({ server_id: ODD_ID, favorite: true });
    const query = await agent.post(DONATE).query({ item_key: ODD_ID }).expect(200);
    expect(query.body).toEqual({ item_key: ODD_ID, favorite: true });
    const json = await agent.post(ENTITY).send({ kind: "house", entity_id: ODD_ID }).expect(200);
    expect(json.body).toEqual({ kind: "house", entity_id: ODD_ID, favorite: true });
  });

  it.each([
    [SERVER, "{}", ["server_id is required"]],
    [SERVER, '{"server_id":""}', ["server_id is required"]],
    [SERVER, '{"server_id":null}', ["server_id is required"]],
    [SERVER, '{"server_id":{"a":1}}', ["server_id must be text or a number"]],
    [SERVER, '{"server_id":["s1","s1"]}', ["server_id is given more than once"]],
    [SERVER, '{"server_id":"a\\u0000b"}', ["server_id must not contain a NUL character"]],
    [SERVER, `{"server_id":"${"x".repeat(201)}"}`, ["server_id must be 1 to 200 characters long"]],
    [SERVER, "[]", ["body must be a JSON object"]],
    [SERVER, '{"server_id":', ["body is not well-formed JSON"]],
    [ENTITY, "{}", ["kind is required", "entity_id is required"]],
    [ENTITY, '{"kind":"ITEM","entity_id":"e1"}', ["kind must be one of item, house, business"]],
  ])("%s refuses %s", async (path, body, messages) => {
    const answer = await agent.post(path).type("json").send(body).expect(400);
    const errors: { param: string; message: string }[] = answer.body.errors;
    expect(errors.map(({ param, message }) => `${param} ${message}`)).toEqual(messages);
  });

  it("that nobody knows are ignored, also names that every object has", async () => {
    const body = '{"server_id":"s1","other":[1,2],"__proto__":{"x":1},"constructor":2}';
    await agent.post(`${SERVER}?toString=1&other=2`).type("json").send(body).expect(200);
  });
});

describe("a plain form that is refused", () => {
  const [english, russian] = ["http://almanac.test/items/e1", "http://almanac.test/ru/items/e1"];

  it("shows the errors of its parameters on its page", async () => {
    const user = await site.logIn();
    const send = (referer: string, fields: object) =>
      plainForm(user.agent.post(ENTITY), referer).send(fields).expect(303);
    await send(russian, { kind: "none" }).expect("Location", "/ru/items/e1");
    const { text } = await user.agent.get("/ru/items/e1").expect(200);
    expect(textOf(text)).toContain("kind: нужно одно из значений: item, house, business");
    expect(textOf(text)).toContain("entity_id: нужно указать");
    await send(english, { kind: "item", entity_id: "e1", wanted: "x".repeat(70_000) });
    expect(textOf((await user.agent.get("/items/e1")).text)).toContain("The body can be at most 64 KiB");
    expect((await user.agent.get("/items/e1")).text).not.toContain("64 KiB");
  });

  it("shows a refusal as one, once, and a result as a success", async () => {
    const user = await site.logIn();
    const told = async (fields: object) => {
      await plainForm(user.agent.post(ENTITY), russian).send(fields).expect(303);
      const { text } = await user.agent.get("/ru/items/e1").expect(200);
      return flashOf(text);
    };
    const known = { kind: "item", entity_id: "e1" };
    expect(await told({ ...known, wanted: "yes" })).toMatch(
      /^<div class="notice is-success [^>]*><p role="status">Entity e1: добавлено в избранное\.<\/p><form /,
    );
    expect(await told({ ...known, entity_id: "gone" })).toBe(
      '<p class="notice is-danger" role="alert">Такого предмета нет.</p>',
    );
    expect(await told({ ...known, wanted: "no" })).toContain('class="notice is-success');
    await user.agent.get("/ru/items/e1");
    expect(flashOf((await user.agent.get("/ru/items/e1")).text)).toBeUndefined();
  });

  it("shows a page with a way back if its session cannot be stored", async () => {
    const user = await site.logIn();
    await site.db.raw(
      "alter table sessions add constraint full_up check (sess::text not like '%flash%') not valid",
    );
    try {
      const answer = await plainForm(user.agent.post(SERVER), russian)
        .send({ server_id: "none" })
        .expect(404);
      expect(answer.type).toBe("text/html");
      expect(textOf(answer.text)).toContain("Такого сервера нет.");
      expect(flashOf(answer.text)).toBeUndefined();
      expect(attributes(answer.text, "hreflang")).toContain("en");
      expect(attributes(answer.text, "href")).toContain("/en/items/e1");
      expect(attributes(answer.text, "href").filter((href) => href.includes("/api/favorites"))).toEqual([]);
    } finally {
      await site.db.raw("alter table sessions drop constraint full_up");
    }
  });
});

describe("while the database is away", () => {
  const away = useAwayApp();

  it("a plain form is answered by a page with a way back to its own", async () => {
    const referer = "http://almanac.test/ru/servers?game=samp";
    const { cookie } = await site.logIn();
    const post = request(away.app).post(SERVER).set("Cookie", cookie);
    const answer = await plainForm(post, referer).send({ server_id: "s1" }).expect(503);
    expect(answer.type).toBe("text/html");
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
    expect(answer.text).toContain('<html lang="ru"');
    expect(elements(answer.text, "h1").map(textOf)).toEqual(["Сейчас недоступно"]);
    expect(answer.text).toMatch(/<a [^>]*href="\/ru\/servers\?game=samp">Повторить</);
    expect(answer.text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres/);
  });
});

describe("the name in the message after a plain form", () => {
  it("is the one in that page's language", async () => {
    const names = { en: "Knife", ru: "Нож" };
    await addEntity(site.db, "items", "knife", { name: "Messer", names: JSON.stringify(names) });
    const user = await site.logIn();
    const told = async (path: string) => {
      const referer = `http://almanac.test${path}`;
      const fields = { kind: "item", entity_id: "knife", wanted: "yes" };
      await plainForm(user.agent.post(ENTITY), referer).send(fields).expect(303);
      const { text } = await user.agent.get(path).expect(200);
      return /<p role="status">([^<]*)/.exec(text)?.[1];
    };
    expect(await told("/favorites")).toBe("Knife was added to your favorites.");
    expect(await told("/ru/favorites")).toBe("Нож: добавлено в избранное.");
    await site.db("users").where({ id: user.id }).update({ language: "ru" });
    expect(await told("/favorites")).toBe("Нож: добавлено в избранное.");
    expect(await told("/en/favorites")).toBe("Knife was added to your favorites.");
  });
});

describe("shows the first of several errors", () => {
  const crossSite = (test: request.Test) => test.set("Sec-Fetch-Site", "cross-site");

  it("403 of another site's write before 401", async () => {
    await crossSite(request(site.app).post(SERVER).send({ server_id: "s1" })).expect(403);
    await crossSite(request(site.app).post(SERVER).set("X-API-Key", "wrong")).expect(403);
  });

  it("401 before 405", async () => {
    await request(site.app).get(SERVER).expect(401);
    await request(site.app).put(SERVER).type("text").send("x").expect(401);
  });

  it("405, with what is allowed, before 415", async () => {
    const answer = await agent.put(SERVER).type("text").send("x").expect(405);
    expect(answer.headers.allow).toBe("POST, OPTIONS");
  });

  it("415 before 413", async () => {
    await agent.post(SERVER).type("text/plain").send("x".repeat(70_000)).expect(415);
    await agent.post(SERVER).attach("server_id", Buffer.from("s1"), "id.txt").expect(415);
  });

  it("413 before 400", async () => {
    const long = "x".repeat(70_000);
    await agent.post(SERVER).type("json").send(`{"x":"${long}`).expect(413);
    await agent.post(SERVER).type("form").send(`x=${long}`).expect(413);
  });

  it("400 before 404", async () => {
    await agent.post(ENTITY).send({ kind: "none", entity_id: "none" }).expect(400);
  });
});

describe("favorites whose thing is removed", () => {
  it("go with it", async () => {
    await addServer(site.db, "short-lived");
    await agent.post(SERVER).send({ server_id: "short-lived" }).expect(200);
    await site.db("servers").where({ id: "short-lived" }).delete();
    expect(await site.db("server_favorites").where({ server_id: "short-lived" })).toEqual([]);
    await agent.post(SERVER).send({ server_id: "short-lived" }).expect(404);
    await agent.post(SERVER).send({ server_id: "short-lived", wanted: "no" }).expect(404);
  });

  it.each([
    ["commits", 404],
    ["is taken back", 200],
  ] as const)("at this moment are waited for: the removal %s", async (end, status) => {
    const id = `leaving ${status}`;
    await addServer(site.db, id);
    const removal = await openTransaction(site.db);
    await removal("servers").where({ id }).delete();
    const toggled = agent
      .post(SERVER)
      .send({ server_id: id })
      .then((answer) => answer.status);
    await waitForLocks(site.db, 1);
    await (end === "commits" ? removal.commit() : removal.rollback());
    expect(await toggled).toBe(status);
  });
});

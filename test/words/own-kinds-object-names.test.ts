import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { findRemovedEntry } from "../../src/catalogue/entry/queries.ts";
import type { CatalogueKind } from "../../src/words/kinds/kinds.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { makeTables, useOwnKinds } from "../helpers/own-kinds.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** What every object has: a plain one that is read by a key of the data finds these where nothing was put. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);
/**
 * A kind of such a name, one that is called like a type of Postgres, and the built-in one. The test opens the pages of
 * these records of them: a method, the constructor, and the prototype.
 */
const SHOWN = {
  constructor: ["toString", "constructor", "__proto__"],
  money: ["constructor"],
  items: ["__proto__"],
};
const KINDS = Object.keys(SHOWN) as (keyof typeof SHOWN)[];

// As text: in an object of JavaScript, `__proto__` would be its prototype.
const members = (value: (name: string) => string, names = NAMES) =>
  `{${names.map((name) => `${JSON.stringify(name)}:${value(name)}`).join(",")}}`;
const labelled = (sign: string) => (name: string) => JSON.stringify({ label: `${sign} ${name}` });
const words = `"groups":${members(labelled("Group"))},"attributes":${members(
  (name) => `{"label":"Label ${name}","group":"${name}","values":${members(labelled("Value"))}}`,
)}`;
const ownKind = (kind: string) =>
  `"${kind}":{"one":"one_${kind}","name":{"one":"One","many":"Many ${kind}"},"placed":true,${words}}`;
const VOCABULARY = JSON.parse(
  `{"categories":${members(labelled("Category"))},"kinds":{${ownKind("constructor")},${ownKind("money")},"items":{${words}}}}`,
);

const file = useOwnKinds(VOCABULARY);
const site = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));

let operator: Agent;
let key: string;

/** A record has all attributes but that of its own name. */
function recordOf(name: string): string {
  const attributes = members(
    () => JSON.stringify(name),
    NAMES.filter((each) => each !== name),
  );
  return `{"id":"${name}","name":"N ${name}","category":"${name}","categories":{"ru":"К"},"names":{"ru":"Имя"},"attributes":${attributes}}`;
}

const write = (method: "patch" | "post", path: string, body: string) =>
  request(site.app)[method](path).set({ "X-API-Key": key, "Content-Type": "application/json" }).send(body);

beforeAll(async () => {
  await makeTables(site.db);
  await emptyCatalogue(site.db);
  const user = await site.logIn(await site.createUser({ role: "operator" }));
  operator = user.agent;
  ({ key } = await addWriteKey(site.db, user.id));
  for (const kind of KINDS) {
    const records = [...NAMES.map(recordOf), '{"id":"plain","name":"Plain"}'];
    await write("post", `/api/${kind}`, `{"records":[${records}]}`).expect(200);
  }
  await site.search.refresh();
});

/** The page or answer, which shows nothing of what an object of JavaScript has by itself. */
async function read(path: string, ...statuses: number[]): Promise<string> {
  const answer = await operator.get(path).set("X-API-Key", key);
  expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, ...statuses])]);
  const text = answer.text ?? answer.body.toString();
  expect(text).not.toMatch(/native code|\[object Object\]|function Object/);
  return text;
}

describe.each(KINDS)("names that every object has, in %s", (kind) => {
  it.each(SHOWN[kind])("are ids, categories, attributes and values like any other: %s", async (name) => {
    const { attributes, category } = JSON.parse(await read(`/api/${kind}/${name}`));
    expect(category).toBe(name);
    expect(Object.keys(attributes)).toEqual(expect.arrayContaining(NAMES.filter((each) => each !== name)));
    expect(Object.hasOwn(attributes, name)).toBe(false);
    const page = textOf(mainOf(await read(`/${kind}/${name}`)));
    // Zod leaves the words of `__proto__` out.
    const [labels, hasWords] = [NAMES.filter((each) => each !== "__proto__"), name !== "__proto__"];
    expect(page).toContain(hasWords ? `Category ${name}` : name);
    expect(page).toContain(hasWords ? `Value ${name}` : name);
    for (const other of labels.filter((each) => each !== name)) expect(page).toContain(`Label ${other}`);
    expect(page).not.toContain(`Label ${name}`);
    const query = encodeURIComponent(name);
    for (const path of [
      `/${kind}?category=${query}`,
      `/${kind}?a.${query}=constructor`,
      `/${kind}?sort=a.${query}`,
      `/${kind}.csv?a.${query}=toString`,
      `/${kind}.feed.json?category=${query}`,
      `/${kind}/${query}/card`,
      `/api/${kind}?category=${query}`,
      `/api/${kind}.csv?fields=id,attributes.${query}`,
      `/api/${kind}/${query}/relations`,
      `/compare/${kind}?ids=${query},constructor,plain`,
      `/search?q=${query}`,
    ])
      await read(path);
    const refused = [`lang=${query}`, `sort=${query}`, `a.${query}=constructor`, `min.${query}=1`];
    for (const each of refused) await read(`/api/${kind}?${each}`, 400);
  });

  it("are on its lists, feeds and forms", async () => {
    for (const path of [
      ...[`/${kind}`, `/ru/${kind}`, `/${kind}.rss`, `/${kind}.atom`, `/${kind}.csv`, `/${kind}/plain`],
      ...[`/api/${kind}`, `/api/${kind}/plain`],
      ...["/search?q=constructor", "/api/search/all?q=constructor", "/", "/favorites", "/docs/api"],
      `/operator/vocabulary/kinds/${kind}`,
    ])
      await read(path);
  });

  it("may be patched, favorites, and removed", async () => {
    await write(
      "patch",
      `/api/${kind}/toString`,
      `{"attributes":{"constructor":null,"__proto__":"x"}}`,
    ).expect(200);
    const { attributes } = JSON.parse(await read(`/api/${kind}/toString`));
    expect(Object.hasOwn(attributes, "constructor")).toBe(false);
    expect(Object.getOwnPropertyDescriptor(attributes, "__proto__")?.value).toBe("x");
    const { body } = await write(
      "patch",
      `/api/${kind}/plain`,
      `{"constructor":null,"__proto__":null}`,
    ).expect(400);
    expect(body.errors.map(({ param }: { param: string }) => param)).toEqual(["constructor", "__proto__"]);
    const toggled = { kind: kind === "items" ? "item" : `one_${kind}`, entity_id: "constructor" };
    await operator.post("/api/entry_favorites/toggle").type("json").send(toggled).expect(200);
    await read("/favorites");
    await request(site.app).delete(`/api/${kind}/constructor`).set("X-API-Key", key).expect(204);
    await read(`/${kind}/constructor`, 410);
    await read(`/${kind}.rss`);
    expect(await findRemovedEntry(site.db, kind as CatalogueKind, "constructor")).toMatchObject({
      name: "N constructor",
    });
  });
});

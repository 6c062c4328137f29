import request from "supertest";
import { describe, expect, it } from "vitest";
import { countryCodes } from "../../src/nicknames/countries.ts";
import { nicknameOutput } from "../../src/nicknames/schemas.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp();

const ask = (query: Record<string, string | number>) =>
  request(site.app).get("/api/nickname-generator").query(query);

/** A good answer, checked against its schema. */
async function generate(query: Record<string, string | number>) {
  const { body } = await ask(query).expect(200);
  return nicknameOutput.parse(body);
}

/** The parameters that a 400 names, each once. */
async function faultsOf(query: Record<string, string | number>): Promise<string[]> {
  const { body, type } = await ask(query).expect(400);
  expect(type).toBe("application/problem+json");
  for (const { message } of body.errors) expect(message).toMatch(/^[a-z].*[^.]$/);
  return body.errors.map((error: { param: string }) => error.param);
}

describe("GET /api/nickname-generator", () => {
  it("needs no parameters: ten real American names of any sex", async () => {
    const answer = await generate({});
    expect(answer).toMatchObject({ country: "us", mode: "real", sex: "any", count: 10 });
    expect(answer.nicknames).toHaveLength(10);
    expect(new Set(answer.nicknames).size).toBe(10);
    for (const nickname of answer.nicknames) expect(nickname).toMatch(/^[A-Z][A-Za-z]+_[A-Z][A-Za-z]+$/);
  });

  it("has names of 3 to 20 characters by default, and raises the limit for a larger minimum", async () => {
    const { nicknames: usual } = await generate({ count: 100, country: "gr" });
    expect(Math.max(...usual.map((nickname) => nickname.length))).toBeLessThanOrEqual(20);
    const { nicknames } = await generate({ country: "gr", min_len: 22, mode: "mixed", count: 5 });
    for (const nickname of nicknames) expect(nickname).toHaveLength(22);
    expect(await faultsOf({ min_len: 22, max_len: 20 })).toEqual(["min_len"]);
  });

  it.each(countryCodes)("knows %s in lower and upper case", async (code) => {
    expect((await generate({ country: code, count: 1 })).country).toBe(code);
    expect((await generate({ country: code.toUpperCase(), count: 1, seed: "a" })).country).toBe(code);
  });

  it.each(["real", "mixed", "invented"] as const)(
    "has names in the mode %s, within the bounds",
    async (mode) => {
      const { nicknames, count } = await generate({
        mode,
        min_len: 12,
        max_len: 12,
        count: 20,
        country: "ru",
      });
      expect(count).toBe(nicknames.length);
      expect(count).toBeGreaterThan(0);
      for (const nickname of nicknames) expect(nickname).toHaveLength(12);
    },
  );

  it("keeps fixed parts, transliterated, and returns two of them once", async () => {
    const { nicknames } = await generate({ country: "ru", first: " Иван ", count: 20 });
    for (const nickname of nicknames) expect(nickname).toMatch(/^Ivan_/);
    const { nicknames: mcdonalds } = await generate({ last: "McDonald", count: 5 });
    for (const nickname of mcdonalds) expect(nickname).toMatch(/_McDonald$/);
    const ada = await generate({ first: "Ada", last: "Lovelace", count: 50 });
    expect(ada).toMatchObject({ count: 1, nicknames: ["Ada_Lovelace"] });
  });

  it("is 200 without names if only the lists have none", async () => {
    expect(await generate({ min_len: 3, max_len: 3 })).toMatchObject({ count: 0, nicknames: [] });
    expect((await generate({ country: "gr", mode: "real", min_len: 5, max_len: 5 })).count).toBe(0);
  });

  it("treats blank parameters as missing and ignores unknown ones", async () => {
    const answer = await generate({ country: "", mode: " ", first: "", count: "", foo: "bar" });
    expect(answer).toMatchObject({ country: "us", count: 10 });
  });
});

describe("bad input", () => {
  it.each([
    [{ country: "xx" }, ["country"]],
    [{ country: "usa" }, ["country"]],
    [{ mode: "fake" }, ["mode"]],
    [{ mode: "REAL" }, ["mode"]],
    [{ sex: "other" }, ["sex"]],
    [{ count: 0 }, ["count"]],
    [{ count: 101 }, ["count"]],
    [{ count: "1e2" }, ["count"]],
    [{ count: 1.5 }, ["count"]],
    [{ min_len: 2 }, ["min_len"]],
    [{ max_len: 25 }, ["max_len"]],
    [{ min_len: 10, max_len: 9 }, ["min_len"]],
    [{ first: "A" }, ["first"]],
    [{ first: "A".repeat(21) }, ["first"]],
    [{ first: "John Paul" }, ["first"]],
    [{ first: "R2" }, ["first"]],
    [{ last: "O'Neil" }, ["last"]],
    [{ last: "\0\0" }, ["last"]],
    [{ first: "Anna", last: "anna" }, ["last"]],
    [{ first: "Maximilian", max_len: 10 }, ["first"]],
    [{ first: "Ada", last: "Lovelace", max_len: 11 }, ["last"]],
    [{ first: "Ada", last: "Lovelace", min_len: 13 }, ["last"]],
    [{ seed: "x".repeat(65) }, ["seed"]],
  ])("is refused: %j", async (query, params) => {
    expect(await faultsOf(query)).toEqual(params);
  });

  it("lists all its faults, also if one hides a rule about several, in whole sentences", async () => {
    const wrong = { country: "xx", mode: "no", sex: "no", count: 0, first: "1", last: "2", min_len: 1 };
    expect((await faultsOf(wrong)).sort()).toEqual(Object.keys(wrong).sort());
    expect((await faultsOf({ first: "1", min_len: 20, max_len: 10 })).sort()).toEqual(["first", "min_len"]);
    const repeated = await request(site.app).get("/api/nickname-generator?count=1&count=1").expect(400);
    expect(repeated.body.errors).toEqual([{ param: "count", message: "is given more than once" }]);
    const { body } = await ask({ min_len: 10, max_len: 9 }).expect(400);
    expect(body.detail).toBe("min_len must not exceed the longest: 10 is more than 9; change one of them.");
  });
});

describe("caching and methods", () => {
  it("caches an answer with a seed only, and repeats it or is 304", async () => {
    expect((await ask({}).expect(200)).headers["cache-control"]).toBe("no-store");
    const [first, second] = [await ask({ seed: "Ж 1" }), await ask({ seed: "Ж 1" })];
    expect(first.text).toBe(second.text);
    expect(first.headers["cache-control"]).toBe("public, no-cache");
    await ask({ seed: "Ж 1" }).set("If-None-Match", String(first.headers.etag)).expect(304);
    expect((await ask({ seed: "Ж 2" })).text).not.toBe(first.text);
  });

  it("answers GET and HEAD only", async () => {
    const { headers } = await request(site.app).post("/api/nickname-generator").expect(405);
    expect(headers.allow).toBe("GET, HEAD, OPTIONS");
    await request(site.app).head("/api/nickname-generator").expect(200);
  });
});

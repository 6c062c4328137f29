import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const site = useTestApp();

beforeAll(async () => {
  await addServer(site.db, "a/b");
  await addDonateItem(site.db, "a/b");
  await addEntity(site.db, "items", "a/b");
});

describe("the canonical address of a page", () => {
  it.each([
    ["//", "/"],
    ["/?utm_source=x", "/"],
    ["/servers/", "/servers"],
    ["/nicknames/", "/nicknames"],
    ["/docs/api/", "/docs/api"],
    ["/items/", "/items"],
    ["/items/a%2fb/", "/items/a%2Fb"],
    ["/servers/%61%2fb/", "/servers/a%2Fb"],
    ["/donate/%61%2fb", "/donate/a%2Fb"],
  ])("of %s is %s", async (path, canonical) => {
    const { text } = await request(site.app).get(path).expect(200);
    expect(text).toContain(`<link rel="canonical" href="http://almanac.test${canonical}">`);
  });
});

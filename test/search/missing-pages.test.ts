import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { wordsOfPath } from "../../src/search/not-found-suggestions.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeAll(async () => {
  await insertRecords(site.db, "businesses", [{ id: "b7", name: "Dawn Bakery" }]);
  await site.db("servers").insert({ id: "dawn", name: "Dawn Role Play" });
  // Pages of errors do not wait for an index.
  await site.search.refresh();
});

describe("a page that is not there", () => {
  const missing = async (path: string) => (await request(site.app).get(path).expect(404)).text;

  it("offers what its address may mean, of any kind, with the words in its box", async () => {
    const html = await missing("/wiki/Dawn_Role-Play.html");
    expect(html).toContain('name="q" value="Dawn Role Play"');
    expect(textOf(mainOf(html))).toContain("Did you mean Server Dawn Role Play");
    expect(attributes(mainOf(html), "href")).toContain("/servers/dawn");
    const russian = await missing("/ru/servers/bakery");
    expect(attributes(mainOf(russian), "href")).toContain("/ru/businesses/b7");
  });

  it("offers nothing where nothing is called so", async () => {
    const html = await missing("/wp-login.php");
    expect(html).toContain('name="q" value="wp login"');
    expect(textOf(mainOf(html))).not.toContain("Did you mean");
  });

  it.each([
    ["/a/b/desert-eagle", "desert eagle"],
    ["/%D0%BC%D0%B5%D1%87/", "меч"],
    ["/", ""],
    ["/%E0%A4%A", ""],
    [`/${"x".repeat(61)}`, ""],
    ["/a%00b", ""],
  ])("reads the words of %s", (path, words) => {
    expect(wordsOfPath(path)).toBe(words);
  });
});

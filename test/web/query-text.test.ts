import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "../../src/web/request/query-text.ts";
import { useTestApp } from "../helpers/app.ts";
import { addEntity } from "../helpers/things.ts";

const site = useTestApp();

/** Percent-encodes text as a script that was saved as Windows-1251. */
function windows(text: string): string {
  const codes = [...text].map((letter) => {
    const code = letter.charCodeAt(0);
    return code < 0x80 ? code : letter === "ё" ? 0xb8 : letter === "Ё" ? 0xa8 : code - 0x410 + 0xc0;
  });
  return codes.map((code) => `%${code.toString(16)}`).join("");
}

beforeAll(async () => {
  await addEntity(site.db, "items", "1", { name: "Меч" });
  await site.search.refresh();
});

describe("a query string", () => {
  it.each([
    ["UTF-8", encodeURIComponent("ёлка"), "ёлка"],
    ["Windows-1251", windows("ёлка"), "ёлка"],
    ["Windows-1251, of which a part could be UTF-8", windows("ПРЁТ"), "ПРЁТ"],
    ["Windows-1251 of one letter", windows("ш"), "ш"],
    ["Windows-1251 beside ASCII", `AK-47+${windows("меч")}`, "AK-47 меч"],
    ["UTF-8 that was cut within a letter", "%D0%BC%D0", "м\ufffd"],
    ["percent signs that stand for no byte", "100%+%zz", "100% %zz"],
    ["nothing", "", ""],
  ])("is read as %s", (_what, encoded, text) => {
    expect(parseQuery(`a=1&q=${encoded}`)).toEqual({ a: "1", q: text });
  });

  it("has no limit of parameters", () => {
    expect(parseQuery(`${"a=1&".repeat(2_000)}api_key=x`).api_key).toBe("x");
  });
});

describe("a search from a script that writes Windows-1251", () => {
  it("finds what the same in UTF-8 finds", async () => {
    const { body } = await request(site.app)
      .get(`/api/search?q=${windows("меч")}`)
      .expect(200);
    expect(body.query).toBe("меч");
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(["1"]);
    const { text } = await request(site.app)
      .get(`/search?q=${windows("меч")}`)
      .expect(200);
    expect(text).toContain('value="меч"');
  });
});

import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { codeSamples } from "../../src/exchange/docs/code-samples.ts";
import { parameterText, schemaText } from "../../src/exchange/docs/describe-endpoint.ts";
import { NO_RECORDS, readExampleRecords } from "../../src/exchange/docs/examples.ts";
import { operationName, operationSummary } from "../../src/web/api/endpoint.ts";
import { openapiDocument } from "../../src/web/api/openapi.ts";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const endpoints = declaredEndpoints();

const site = useTestApp();

/** The text of one endpoint's section of /docs/api. */
async function endpointText(id: string, page = "/docs/api"): Promise<string> {
  const { text } = await request(site.app).get(page).expect(200);
  return textOf(elements(text, "section").find((section) => section.includes(`id="${id}"`)) ?? "");
}

describe("/docs/api", () => {
  it("has a section for every endpoint, linked from the contents", async () => {
    const { text } = await request(site.app).get("/docs/api");
    const headings = elements(text, "h2").map(textOf);
    const hrefs = attributes(text, "href");
    for (const declared of endpoints) {
      expect(headings).toContain(`${declared.method} ${declared.path}`);
      expect(hrefs).toContain(`#${operationName(declared)}`);
    }
  });

  it("lists type, bounds, default and meaning of each parameter", async () => {
    const search = await endpointText("search");
    expect(search).toContain("q text, at most 200 characters required What to look for");
    expect(search).toContain("limit whole number, 1 to 50 10 How many of each kind.");
    const nicknames = await endpointText("generateNicknames");
    expect(nicknames).toContain("mode real, mixed, invented real");
    expect(nicknames).toContain("max_len whole number, 3 to 24 –");
  });

  it("says in words who may call an endpoint", async () => {
    expect(await endpointText("search")).toContain("Open to everyone.");
    expect(await endpointText("searchItems")).toContain("Needs an API key, or any session");
    expect(await endpointText("toggleEntityFavorite")).toContain("Needs the session of a logged-in user");
  });

  it("has an example for each, of this site's own records, in four languages", async () => {
    await site.db("servers").insert({ id: "my-server", name: "My server" });
    await site.db("donate_items").insert({ id: "my-vip", name: "VIP", price: "1.00", currency: "EUR" });
    await site.db("items").insert({ id: "my-item", name: "Halberd of war" });
    const search = await endpointText("search");
    expect(search).toContain("curl 'http://almanac.test/api/search?q=Halberd'");
    expect(search).toContain('Request("http://almanac.test/api/search?q=Halberd")');
    expect(search).toContain('await fetch("http://almanac.test/api/search?q=Halberd")');
    expect(search).toContain('url = "http://almanac.test/api/search?q=Halberd"');
    const samples = {
      searchItems: "curl -H 'X-API-Key: YOUR_KEY' 'http://almanac.test/",
      toggleEntityFavorite: `-d '{"kind":"item","entity_id":"my-item"}'`,
      listServers: "/api/data?server_id=my-server'",
      toggleDonateFavorite: `-d '{"item_key":"my-vip"}'`,
      getRecordOfServers: "/api/servers/my-server'",
    };
    for (const [id, sample] of Object.entries(samples)) expect(await endpointText(id)).toContain(sample);
  });

  it("lets the reader try reads and writes by key, but nothing that needs a session, and no file", async () => {
    const { text } = await request(site.app).get("/docs/api");
    const forms = elements(text, "form").filter((form) => form.includes('id="try-'));
    const tried = forms.flatMap((form) => attributes(form, "value"));
    expect(tried).toContain("/api/online");
    expect(tried.filter((address) => /toggle|csv|ndjson/.test(address))).toEqual([]);
    const put = forms.find((form) => form.includes('id="try-putRecordOfItems"')) ?? "";
    expect(textOf(put)).toContain('"name": "A new name"');
    expect(textOf(put)).toContain("This call changes this site’s records.");
  });

  it("shows a sample response with its call", async () => {
    const wanted = 'GET /api/items?limit=2 An answer of the demo site. Long lists are cut short. { "total":';
    expect(await endpointText("listRecordsOfItems")).toContain(wanted);
  });

  it("shows code among its terms without back quotes", async () => {
    const { text } = await request(site.app).get("/docs/api");
    expect(elements(text, "dt").map(textOf)).toContain("match");
  });

  it("has a meaning for every parameter, in both languages", async () => {
    for (const page of ["/en/docs/api", "/ru/docs/api"]) {
      const { text } = await request(site.app).get(page).expect(200);
      const rows = elements(text, "tr").filter((row) => row.includes('scope="row"'));
      expect(rows.length).toBeGreaterThan(20);
      for (const row of rows) expect(textOf(elements(row, "td").at(-1) ?? ""), row).not.toBe("");
    }
  });

  it("shows the answers and the types that they name", async () => {
    expect(await endpointText("search")).toContain("items: Hit[]");
    expect(await endpointText("listOnline")).toContain("No parameters.");
    const { text } = await request(site.app).get("/docs/api");
    expect(text).toContain('id="type-Hit"');
    expect(textOf(text)).toContain('match: "exact" | "prefix"');
  });
});

describe("a sample in Lua", () => {
  it.each([
    ["https://almanac.example/api/online", true],
    ["http://127.0.0.1/api/online", false],
  ])("verifies the site before it sends the key to %s: %s", (url, isVerified) => {
    const samples = codeSamples({ method: "GET", url, credential: "key", body: undefined, answer: "json" });
    expect(samples.at(-1)?.code.includes('verify = "peer", cafile = "')).toBe(isVerified);
  });
});

describe("the words of /docs/api", () => {
  const english = translate("en");
  const names = { name: "Almanac", baseUrl: "http://almanac.test", cookieName: "c" };
  const document = openapiDocument(endpoints, names);
  const operations = Object.values(document.paths ?? {}).flatMap((path) =>
    [path.get, path.put, path.patch, path.delete, path.post].filter((operation) => operation !== undefined),
  );

  it("are the document's in English, for every endpoint", () => {
    const summaries = operations.map(({ operationId, summary }) => [operationId, summary]);
    const expected = endpoints.map((declared) => [
      operationName(declared),
      operationSummary(declared, english),
    ]);
    expect(summaries).toEqual(expected);
    expect(Object.fromEntries(expected)).toMatchObject({
      search: english("docs.endpoint.search"),
      getRecordOfDonateItems: "Shop items: one record, with everything known about it.",
    });
  });

  it("describe a parameter in its endpoint's own words, if there are any", async () => {
    expect(await endpointText("search")).toContain(english("docs.param.search_limit"));
    expect(await endpointText("searchItems")).toContain(english("docs.param.limit"));
  });

  it("are Russian on the Russian page, where English text is marked as such", async () => {
    const search = await endpointText("search", "/ru/docs/api");
    expect(search).toContain("Ищет сразу среди предметов, транспорта и скриптов. Открыт для всех.");
    expect(search).toContain("q строка, не длиннее 200 символов обязателен Что искать; по пустой строке");
    expect(search).toContain("limit целое число, от 1 до 50 10 Сколько результатов каждого вида.");
    const { text } = await request(site.app).get("/ru/docs/api");
    expect(text).toContain('href="/ru/docs/errors"');
    for (const code of elements(text, "pre").slice(1)) {
      if (/\/\/ [A-Z]/.test(code)) expect(code).toContain('<code lang="en">');
    }
    const errors = textOf((await request(site.app).get("/ru/docs/errors")).text);
    expect(errors).toContain("Ошибки API");
    expect(errors).not.toContain("Every answer");
  });
});

describe("/docs/errors", () => {
  it("has an anchor for each problem, where its type leads, in any language", async () => {
    const { text } = await request(site.app).get("/docs/errors").expect(200);
    const { text: russian } = await request(site.app).get("/ru/docs/errors").expect(200);
    const codes = elements(russian, "code").map(textOf);
    for (const { slug, title, status } of Object.values(PROBLEMS)) {
      expect(text).toContain(`id="${slug}"`);
      expect(textOf(text)).toContain(`${status} ${translate("en")(title)}`);
      expect(codes).toContain(`…#${slug}`);
    }
    const { body } = await request(site.app).get("/api/nothing").expect(404);
    const [, anchor] = String(body.type).split("http://almanac.test/docs/errors#");
    expect(attributes(text, "id")).toContain(anchor);
    expect(body.detail).toContain("/docs/api");
    const example = codes.find((code) => code.startsWith("{"));
    expect(example).toContain('"type": "http://almanac.test/docs/errors#bad-input"');
  });
});

describe("a schema in the notation of TypeScript", () => {
  it.each([
    [{ type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } }, "(integer | null)[]"],
    [{ const: true }, "true"],
    [{ type: "object", additionalProperties: { type: "string" } }, "{ [name: string]: string }"],
    [{}, "unknown"],
  ])("%j", (schema, text) => {
    expect(schemaText(schema as never)).toBe(text);
  });

  it("marks optional members, and puts a remark behind its field, or above a long line", () => {
    const properties = {
      a: { type: "string", format: "uri" },
      b: { type: "integer", description: "How many" },
    };
    expect(schemaText({ type: "object", properties, required: ["a"] } as never)).toBe(
      "{\n  a: string  // uri\n  b?: integer  // How many\n}",
    );
    const description = "What needs many words to be said so that it is understood by everybody who reads it";
    const inner = { type: "object", properties: { b: { type: "string" } }, required: ["b"] };
    const long = { a: { type: "string", description }, c: { ...inner, description: "Inner" } };
    expect(schemaText({ type: "object", properties: long, required: ["a", "c"] } as never)).toBe(
      `{\n  // ${description}\n  a: string\n  // Inner\n  c: {\n    b: string\n  }\n}`,
    );
  });

  it.each([
    [{ type: "integer", minimum: 1, maximum: 50 }, "whole number, 1 to 50"],
    [{ type: "string", maxLength: 200 }, "text, at most 200\u00a0characters"],
    [{ type: "string", minLength: 1, maxLength: 64 }, "text, 1 to 64 characters"],
    [{ type: "string", maxLength: 1 }, "text, at most 1\u00a0character"],
    [{ type: "integer" }, "whole number"],
    [{ type: "string" }, "text"],
    [{ enum: ["x", "y"] }, "x, y"],
  ])("a parameter: %j", (schema, text) => {
    expect(parameterText(schema as never, translate("en"))).toBe(text);
  });
});

describe("the examples of a site", () => {
  beforeEach(() => emptyTables(site.db, "items, servers, donate_items"));

  it("name nothing where there is nothing", async () => {
    expect(await readExampleRecords(site.db)).toEqual(NO_RECORDS);
  });

  it("name the most popular record, or the first by its id", async () => {
    await insertRecords(site.db, "items", [{ id: "b" }, { id: "a" }]);
    expect(await readExampleRecords(site.db)).toMatchObject({ items: "a", item_name: "a" });
    await insertRecords(site.db, "items", [
      { id: "c", popularity: 4 },
      { id: "d", category: "Cars", popularity: 3 },
      { id: "e", category: "Bikes" },
    ]);
    expect(await readExampleRecords(site.db)).toMatchObject({ items: "c", item_name: "c" });
  });
});

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

  it("says who may ask, in words", async () => {
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
    expect(await endpointText("searchItems")).toContain(
      "curl -H 'X-API-Key: YOUR_KEY' 'http://almanac.test/",
    );
    expect(await endpointText("toggleEntityFavorite")).toContain(
      `-d '{"kind":"item","entity_id":"my-item"}'`,
    );
    expect(await endpointText("listServers")).toContain("/api/data?server_id=my-server'");
    expect(await endpointText("toggleDonateFavorite")).toContain(`-d '{"item_key":"my-vip"}'`);
    expect(await endpointText("getRecordOfServers")).toContain("/api/servers/my-server'");
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
  const lua = (url: string) =>
    codeSamples({ method: "GET", url, credential: "key", body: undefined, answer: "json" }).at(-1)?.code ??
    "";

  it("gives the key to no other site, where the address is secure", () => {
    expect(lua("https://almanac.example/api/online")).toContain('verify = "peer", cafile = "');
    expect(lua("http://127.0.0.1/api/online")).not.toContain("verify");
  });
});

describe("the words of /docs/api", () => {
  const english = translate("en");
  const document = openapiDocument(endpoints, {
    name: "Almanac",
    baseUrl: "http://almanac.test",
    cookieName: "c",
  });
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

  it("describes every parameter, also those with another meaning at one endpoint", () => {
    const meanings = operations.flatMap(({ operationId, parameters, requestBody }) => {
      const sent = requestBody as
        | { required?: boolean; content: Record<string, { schema: object }> }
        | undefined;
      // One that must be there is a record, not parameters.
      const body = sent?.required ? undefined : sent;
      const { properties = {} } = (body?.content["application/json"]?.schema ?? {}) as {
        properties?: Record<string, { description?: string }>;
      };
      const queries = (parameters ?? []) as { name: string; schema: { description?: string } }[];
      const all = [
        ...queries.map(({ name, schema }) => [name, schema] as const),
        ...Object.entries(properties),
      ];
      return all.map(([name, { description }]) => [`${operationId} ${name}`, description]);
    });
    expect(meanings.length).toBeGreaterThan(20);
    expect(meanings.filter(([, meaning]) => !meaning)).toEqual([]);
    expect(Object.fromEntries(meanings)).toMatchObject({
      "search limit": english("docs.param.search_limit"),
      "searchItems limit": english("docs.param.limit"),
      "listServers server_id": english("docs.param.listServers_server_id"),
      "toggleServerFavorite server_id": english("docs.param.server_id"),
    });
  });

  it("are Russian on the Russian page; what stays English there is marked as such", async () => {
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
  it("has an anchor for each problem, where its type leads", async () => {
    const { text } = await request(site.app).get("/docs/errors").expect(200);
    for (const { slug, title, status } of Object.values(PROBLEMS)) {
      expect(text).toContain(`id="${slug}"`);
      expect(textOf(text)).toContain(`${status} ${translate("en")(title)}`);
    }
    const { body } = await request(site.app).get("/api/nothing").expect(404);
    const [, anchor] = String(body.type).split("http://almanac.test/docs/errors#");
    expect(attributes(text, "id")).toContain(anchor);
    expect(body.detail).toContain("/docs/api");
  });

  it("shows the types as the API sends them, on a page in any language", async () => {
    const { text } = await request(site.app).get("/ru/docs/errors").expect(200);
    const codes = elements(text, "code").map(textOf);
    for (const { slug } of Object.values(PROBLEMS)) expect(codes).toContain(`…#${slug}`);
    expect(codes.find((code) => code.startsWith("{"))).toContain(
      '"type": "http://almanac.test/docs/errors#bad-input"',
    );
  });
});

describe("a schema in the notation of TypeScript", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "array", items: { type: "integer" } }, "integer[]"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } }, "(integer | null)[]"],
    [{ type: ["integer", "null"] }, "integer | null"],
    [{ enum: ["a", "b"] }, '"a" | "b"'],
    [{ const: true }, "true"],
    [{ $ref: "#/components/schemas/Hit" }, "Hit"],
    [{ type: "object", additionalProperties: { type: "string" } }, "{ [name: string]: string }"],
    [{}, "unknown"],
  ])("%j", (schema, text) => {
    expect(schemaText(schema as never)).toBe(text);
  });

  it("marks what may be missing, and carries remarks", () => {
    const properties = {
      a: { type: "string", format: "uri" },
      b: { type: "integer", description: "How many" },
    };
    expect(schemaText({ type: "object", properties, required: ["a"] } as never)).toBe(
      "{\n  a: string  // uri\n  b?: integer  // How many\n}",
    );
  });

  it("puts a remark above its field where the line would be long", () => {
    const description = "What needs many words to be said so that it is understood by everybody who reads it";
    const inside = {
      type: "object",
      properties: { b: { type: "string" } },
      required: ["b"],
      description: "Inner",
    };
    const properties = { a: { type: "string", description }, c: inside };
    expect(schemaText({ type: "object", properties, required: ["a", "c"] } as never)).toBe(
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

  const exampleOf = async (records: Parameters<typeof insertRecords>[2]) => {
    await insertRecords(site.db, "items", records);
    const { items, item_name } = await readExampleRecords(site.db);
    return [items, item_name];
  };

  it("are of nothing where there is nothing", async () => {
    expect(await readExampleRecords(site.db)).toEqual(NO_RECORDS);
  });

  it.each([
    [
      "the most popular of all categories",
      [
        { id: "a", name: "A", category: "Bikes", popularity: 3 },
        { id: "b", name: "B", category: "Cars", popularity: 9 },
        { id: "c", name: "C", category: "Cars", popularity: 4 },
        { id: "d", name: "D", category: "Zeppelins", popularity: null },
      ],
      ["b", "B"],
    ],
    [
      "one without a category, where that is the most popular",
      [
        { id: "a", name: "A", category: "Bikes", popularity: 3 },
        { id: "b", name: "B", category: null, popularity: null },
        { id: "c", name: "C", category: null, popularity: 4 },
      ],
      ["c", "C"],
    ],
    [
      "the first by id of those that are equal",
      [
        { id: "c", name: "C", category: "Bikes", popularity: 4 },
        { id: "b", name: "B", category: null, popularity: 4 },
        { id: "a", name: "A", category: "Cars", popularity: 4 },
      ],
      ["a", "A"],
    ],
    ["any of unknown popularity", [{ id: "b", name: "B", category: null, popularity: null }], ["b", "B"]],
  ])("are of %s", async (_what, records, expected) => {
    expect(await exampleOf(records)).toEqual(expected);
  });
});

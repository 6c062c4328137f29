import request from "supertest";
import { describe, expect, it } from "vitest";
import { codeSamples } from "../../src/exchange/docs/code-samples.ts";
import { schemaText } from "../../src/exchange/docs/describe-endpoint.ts";
import { operationName, operationSummary } from "../../src/web/api/endpoint.ts";
import { openapiDocument } from "../../src/web/api/openapi.ts";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { useTestApp } from "../helpers/app.ts";
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
});

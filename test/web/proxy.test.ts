import { pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { doctorCommand } from "../../src/commands/doctor.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { findProxyWarning } from "../../src/web/server/client-address.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";

const site = useTestApp();

/** The site with these proxies, and the warnings that it logs. */
async function behind(trustProxy: boolean | number | string[]) {
  const lines: { level: number; peer?: string; msg: string }[] = [];
  const log = pino({ level: "warn" }, { write: (line) => lines.push(JSON.parse(line)) });
  const app = await site.another({ trustProxy }, { log });
  return { app, warnings: () => lines.filter(({ level }) => level === 40) };
}

describe("a proxy that is not trusted", () => {
  it.each([[false], [["10.0.0.0/8"]]])("is warned of, once, with TRUST_PROXY %j", async (trustProxy) => {
    const { app, warnings } = await behind(trustProxy);
    await request(app).get("/docs/errors").expect(200);
    expect(warnings()).toEqual([]);
    for (const path of ["/docs/errors", "/api/online", "/nowhere"]) {
      await request(app).get(path).set("X-Forwarded-For", "203.0.113.7");
    }
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]?.peer).toContain("127.0.0.1");
    expect(warnings()[0]?.msg).toContain("Set TRUST_PROXY");
  });

  it.each([[1], [["loopback"]]])("is off with TRUST_PROXY %j", async (trustProxy) => {
    const { app, warnings } = await behind(trustProxy);
    await request(app).get("/docs/errors").set("X-Forwarded-For", "203.0.113.7").expect(200);
    expect(warnings()).toEqual([]);
  });

  it("is shown to operators who come through it, on their own pages, in their language", async () => {
    const user = await site.createUser({ role: "operator" });
    const pageAt = async (trustProxy: boolean | number, path: string, forwarded = true) => {
      const agent = request.agent((await behind(trustProxy)).app);
      if (forwarded) agent.set("X-Forwarded-For", "203.0.113.7");
      await agent.post("/login").type("form").send(user).expect(303);
      return (await agent.get(path).expect(200)).text;
    };
    for (const path of ["/operator", "/operator/discounts", "/operator/deliveries", "/en/operator"]) {
      expect(await pageAt(false, path), path).toContain("a proxy that isn’t counted in TRUST_PROXY");
    }
    expect(await pageAt(false, "/ru/operator")).toContain("прокси, не указанный в TRUST_PROXY");
    expect(await pageAt(false, "/items")).not.toContain("TRUST_PROXY");
    expect(await pageAt(false, "/operator", false)).not.toContain("TRUST_PROXY");
    expect(await pageAt(1, "/operator")).not.toContain("TRUST_PROXY");
  });
});

describe("settings that speak for a proxy", () => {
  const LISTENING = "http://127.0.0.1:3000";

  it.each([
    ["https://almanac.example", LISTENING],
    ["http://almanac.example", LISTENING],
    ["http://almanac.example:3000", LISTENING],
    ["http://almanac.example", "http://localhost:3000"],
    ["https://almanac.example", "http://192.0.2.1:443"],
  ])("%s at %s are doubted while TRUST_PROXY is not set, and only then", (baseUrl, listening) => {
    expect(findProxyWarning({ baseUrl, trustProxy: false }, listening)).toContain("TRUST_PROXY is not set");
    expect(findProxyWarning({ baseUrl, trustProxy: 1 }, listening)).toBeUndefined();
  });

  it.each([
    [undefined, LISTENING],
    ["http://localhost:3000", LISTENING],
    ["http://192.0.2.1:8080", "http://192.0.2.1:8080"],
  ])("%s at %s are not", (baseUrl, listening) => {
    expect(findProxyWarning({ baseUrl, trustProxy: false }, listening)).toBeUndefined();
  });

  it("are reported by doctor", async () => {
    const say = async (env: Record<string, string>) => {
      const config = loadConfig({ DATA_DIR: "/tmp", BASE_URL: "http://almanac.example", ...env });
      const { out } = await runCommand(doctorCommand, site.db, [], { config });
      return out.filter((line) => /^(ok|warn) .*BASE_URL/.test(line));
    };
    expect(await say({})).toEqual([
      expect.stringMatching(/^warn .*TRUST_PROXY is not set.*count as one address/),
    ]);
    expect(await say({ TRUST_PROXY: "1" })).toEqual(["ok   BASE_URL is http://almanac.example"]);
  });
});

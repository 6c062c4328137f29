import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const CLUSTER = "deploy/cluster";

/** The lines of a language in docs/operate.md, which tests run. */
const documented = (language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(read("docs/operate.md"))?.[1] ?? "";
const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
/** `name = value` in an .ini, NAME=value in an .env. */
const settingsOf = (text: string) =>
  new Map([...text.matchAll(/^(\w+) ?= ?(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));

describe("the files of a cluster", () => {
  it("cache in Varnish as the lines that are tested", () => {
    const [, ...lines] = read(`${CLUSTER}/compose/varnish.vcl`).split("\n");
    const expected = documented("vcl").replace('"127.0.0.1"', '"haproxy"').replace('"3000"', '"80"');
    expect(lines.join("\n")).toBe(expected);
  });

  it("pool connections as the lines that are tested", () => {
    const [ours, tested] = [read(`${CLUSTER}/compose/pgbouncer.ini`), documented("ini")].map(settingsOf);
    for (const [name, value] of tested ?? []) {
      if (["listen_addr", "auth_file"].includes(name)) continue;
      expect(ours?.get(name), name).toBe(value.replace("127.0.0.1", "haproxy"));
    }
    expect([...(ours?.keys() ?? [])]).toEqual([...(tested?.keys() ?? [])]);
  });

  it("balance requests as the lines that are tested", () => {
    const ours = linesOf(read(`${CLUSTER}/compose/haproxy.cfg`));
    const tested = linesOf(documented("haproxy")).filter(
      (line) => !/^ *(server |http-request set-header X-Forwarded)/.test(line),
    );
    expect(tested.length).toBeGreaterThan(20);
    expect(ours).toEqual(expect.arrayContaining(tested));
  });

  it("have settings that the site knows", () => {
    const files = readdirSync(new URL(`../../${CLUSTER}/almanac`, import.meta.url));
    const envs = [`${CLUSTER}/almanac.env`, ...files.map((file) => `${CLUSTER}/almanac/${file}`)].map(read);
    const compose =
      /^x-settings: .*\n((?: {2}.*\n)+)/m.exec(read(`${CLUSTER}/compose/compose.yml`))?.[1] ?? "";
    const names = [...envs.join("\n").matchAll(/^(\w+)=/gm), ...compose.matchAll(/^ {2}(\w+):/gm)].map(
      ([, name]) => name,
    );
    const known = new Set([...read("docs/settings.md").matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect(names.length).toBeGreaterThan(25);
    expect(names.filter((name) => !known.has(name) && name !== "COMMAND")).toEqual([]);
  });

  it("tell both databases the same, but for names and addresses", () => {
    const [one, two] = ["one", "two"].map((name) => settingsOf(read(`${CLUSTER}/patroni-${name}.env`)));
    const moved = [...(one ?? [])].map(([name, value]) => [
      name,
      value.replace("127.0.0.11", "127.0.0.12").replace(/one$/, "two"),
    ]);
    expect([...(two ?? [])]).toEqual(moved);
    expect(one?.get("ALMANAC_PASSWORD")).toBe(/almanac:([^@]+)@/.exec(read(`${CLUSTER}/almanac.env`))?.[1]);
  });
});

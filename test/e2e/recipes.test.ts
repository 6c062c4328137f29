import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { useTestApp } from "../helpers/app.ts";

const run = promisify(execFile);
const recipe = (name: string) => path.join(import.meta.dirname, "../../docs/recipes", name);

const front = createServer();
await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
const site = useTestApp({ baseUrl });

let folder: string;
let env: NodeJS.ProcessEnv;
const statuses: number[] = [];
/** Statuses for the next requests, instead of the site's answers. */
const refusals: number[] = [];

beforeAll(async () => {
  front.on("request", (req, res) => {
    res.once("finish", () => statuses.push(res.statusCode));
    if (refusals.length > 0) res.writeHead(refusals.shift() ?? 503, { "Retry-After": "0" }).end("{}");
    else site.app(req, res);
  });
  folder = await mkdtemp(path.join(tmpdir(), "almanac-recipes-"));
  const { id } = await site.createUser();
  const key = String(await createKey(site.db, id, { name: "a key", expiry: "never" }));
  env = { PATH: process.env.PATH, ALMANAC_URL: baseUrl, ALMANAC_KEY: key };
  const now = site.db.raw("now()");
  await site.db("servers").insert([
    { id: "berlin", name: "Berlin", status: "online", online: 7, checked_at: now },
    { id: "lisbon", name: "Lisbon" },
  ]);
  await site.db("items").insert([
    { id: "1", name: "Halberd", category: "Weapons" },
    { id: "2", name: "Lantern" },
  ]);
  await site.search.refresh();
});

afterAll(async () => {
  front.close();
  await rm(folder, { recursive: true, force: true });
});

/** What docs/recipes/README.md shows is this output, but for the address of the site and the times. */
async function expectShown(output: string): Promise<void> {
  const shown = output
    .replaceAll(baseUrl, "https://almanac.example")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-25T12:00:00.000Z");
  const readme = await readFile(recipe("README.md"), "utf8");
  expect(readme).toContain(`${shown.trimEnd()}\n\`\`\``);
}

/** The body of an answer to a request without headers, as a spreadsheet sends it. */
async function fetchPlainly(address: string): Promise<string> {
  const [answer] = (await once(get(address), "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return text(answer);
}

describe("a recipe", () => {
  it("is listed in their README", async () => {
    const readme = await readFile(recipe("README.md"), "utf8");
    const listed = [...readme.matchAll(/^## .*\]\((.*)\)$/gm)].map(([, name]) => name).sort();
    expect(listed).toEqual((await readdir(recipe(""))).filter((name) => name !== "README.md").sort());
  });

  it("players.sh prints the players by curl, and asks only for what is new", async () => {
    const call = () => run("sh", [recipe("players.sh")], { cwd: folder, env });
    const first = JSON.parse((await call()).stdout);
    expect(first.servers.map(({ online }: { online: number | null }) => online)).toEqual([7, null]);
    expect(JSON.parse((await call()).stdout)).toEqual(first);
    expect(statuses.slice(-2)).toEqual([200, 304]);
    const kept = await readFile(path.join(folder, "players.json"), "utf8");
    expect(JSON.parse(kept)).toEqual(first);
    await expectShown(kept);
  });

  it("players.py prints them by Python's standard library, and says why it was refused", async () => {
    const { stdout } = await run("python3", [recipe("players.py")], { env });
    expect(stdout).toBe("berlin\tonline\t7\nlisbon\tunknown\tunknown\n");
    await expectShown(stdout);
    refusals.push(429, 503);
    expect((await run("python3", [recipe("players.py")], { env })).stdout).toBe(stdout);
    const refused = run("python3", [recipe("players.py")], { env: { ...env, ALMANAC_KEY: "alm_wrong" } });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/^401: .+/) });
  });

  it("items.lua prints what a search finds, and says why it was refused", async () => {
    const { stdout } = await run("lua5.4", [recipe("items.lua"), "halberd"], { env });
    expect(stdout).toBe(`Halberd\t${baseUrl}/items/1\n`);
    await expectShown(stdout);
    expect((await run("lua5.4", [recipe("items.lua"), "a & b = ё"], { env })).stdout).toBe("");
    refusals.push(429, 503);
    expect((await run("lua5.4", [recipe("items.lua"), "halberd"], { env })).stdout).toBe(stdout);
    const refused = run("lua5.4", [recipe("items.lua"), "a"], { env: { ...env, ALMANAC_KEY: "alm_wrong" } });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/^401: .+/) });
  });

  it("typescript/items.ts prints all items, by types that tell of a field that is not there", async () => {
    const own = path.join(folder, "typescript");
    const isOurs = (name: string) => !/node_modules|almanac\.d\.ts/.test(path.relative(recipe(""), name));
    await cp(recipe("typescript"), own, { recursive: true, filter: isOurs });
    const npm = (...given: string[]) => run("npm", given, { cwd: own, env: { ...process.env, ...env } });
    await npm("ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund");
    await npm("run", "-s", "types");
    await npm("run", "-s", "check");
    const { stdout } = await npm("start", "-s");
    expect(stdout).toBe("1\tHalberd\tWeapons\n2\tLantern\tno category\n");
    await expectShown(stdout);
    refusals.push(429, 503);
    expect((await npm("start", "-s")).stdout).toBe(stdout);
    const code = await readFile(path.join(own, "items.ts"), "utf8");
    await writeFile(path.join(own, "items.ts"), code.replace("{ id, name,", "{ id, title: name,"));
    await expect(npm("run", "-s", "check")).rejects.toMatchObject({
      stdout: expect.stringContaining("Property 'title' does not exist"),
    });
  });

  it("spreadsheet.md has an address that answers a spreadsheet with a table", async () => {
    const formulas = await readFile(recipe("spreadsheet.md"), "utf8");
    const [, address = ""] = /=IMPORTDATA\("(.+?)"\)/.exec(formulas) ?? [];
    const csv = await fetchPlainly(
      address
        .replace("https://almanac.example", baseUrl)
        .replace("YOUR_KEY", encodeURIComponent(String(env.ALMANAC_KEY))),
    );
    expect(parse(csv, { columns: true })).toEqual([
      { id: "1", name: "Halberd", category: "Weapons" },
      { id: "2", name: "Lantern", category: "" },
    ]);
    await expectShown(csv.replaceAll("\r\n", "\n"));
  });

  it("discord-command.mjs answers a slash command, and refuses what Discord did not sign", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
    const bot = spawn(process.execPath, [recipe("discord-command.mjs")], {
      env: { ...env, DISCORD_PUBLIC_KEY: raw, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const address = await addressOf(bot);
      const ask = async (interaction: object, isSigned = true) => {
        const body = JSON.stringify(interaction);
        const time = "1790000000";
        const signature = sign(null, Buffer.from(time + (isSigned ? body : "{}")), privateKey).toString(
          "hex",
        );
        const headers = { "X-Signature-Timestamp": time, "X-Signature-Ed25519": signature };
        return fetch(address, { method: "POST", body, headers });
      };
      expect(await (await ask({ type: 1 })).json()).toEqual({ type: 1 });
      const command = { type: 2, data: { name: "item", options: [{ name: "name", value: "halb" }] } };
      const answer = await (await ask(command)).text();
      expect(JSON.parse(answer).data.content).toBe(`[Halberd](${baseUrl}/items/1)`);
      await expectShown(answer);
      expect((await ask(command, false)).status).toBe(401);
    } finally {
      bot.kill();
    }
  });
});

async function addressOf(bot: ChildProcess): Promise<string> {
  const [line] = (await once(bot.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return `http://127.0.0.1:${/\d+/.exec(String(line))?.[0]}`;
}

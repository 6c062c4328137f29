import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/api-keys/queries.ts";
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

beforeAll(async () => {
  front.on("request", (req, res) => {
    res.once("finish", () => statuses.push(res.statusCode));
    site.app(req, res);
  });
  folder = await mkdtemp(path.join(tmpdir(), "almanac-recipes-"));
  const { id } = await site.createUser();
  const key = String(await createKey(site.db, id, { name: "a key", expiry: "never" }));
  env = { PATH: process.env.PATH, ALMANAC_URL: baseUrl, ALMANAC_KEY: key };
  const now = site.db.raw("now()");
  await site.db("servers").insert([
    { id: "a", name: "A", status: "online", online: 7, checked_at: now },
    { id: "b", name: "B" },
  ]);
  await site.db("items").insert({ id: "1", name: "Halberd" });
  await site.search.refresh();
});

afterAll(async () => {
  front.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a recipe", () => {
  it("players.sh prints the players by curl, and asks only for what is new", async () => {
    const call = () => run("sh", [recipe("players.sh")], { cwd: folder, env });
    const first = JSON.parse((await call()).stdout);
    expect(first.servers.map(({ online }: { online: number | null }) => online)).toEqual([7, null]);
    expect(JSON.parse((await call()).stdout)).toEqual(first);
    expect(statuses.slice(-2)).toEqual([200, 304]);
    expect(JSON.parse(await readFile(path.join(folder, "players.json"), "utf8"))).toEqual(first);
  });

  it("players.py prints them by Python's standard library, and says why it was refused", async () => {
    const { stdout } = await run("python3", [recipe("players.py")], { env });
    expect(stdout).toBe("a\tonline\t7\nb\tunknown\tunknown\n");
    const refused = run("python3", [recipe("players.py")], { env: { ...env, ALMANAC_KEY: "alm_wrong" } });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/^401: .+/) });
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
      const { data } = (await (await ask(command)).json()) as { data: { content: string } };
      expect(data.content).toBe(`[Halberd](${baseUrl}/items/1)`);
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

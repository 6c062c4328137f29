import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { keyCommand } from "../../src/commands/key.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp();
const LAST_DAY = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

async function run(...args: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await keyCommand.run(args, {
    config: loadConfig({ LOG_FORMAT: "json" }),
    db: async () => site.db,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stdin: Readable.from([]),
    isTerminal: false,
  });
  return { code, out, err };
}

async function addKey() {
  const owner = await site.createUser();
  const key = String(await createKey(site.db, owner.id, { name: "bot", expiry: "never" }));
  return { owner, key, prefix: key.slice(0, 8) };
}

describe("the command key", () => {
  it("lets a key write, prints which may, and takes it back, with lines for the security log", async () => {
    const { owner, key, prefix } = await addKey();
    const words = [owner.name, prefix, "write:records"] as const;
    const granted = await run("grant", ...words, "--until", LAST_DAY);
    expect(granted.code).toBe(0);
    expect(JSON.parse(granted.err[0] ?? "")).toMatchObject({
      security: "key.granted",
      user: owner.name,
      scopes: ["write:records"],
      by: "command",
    });
    expect([...((await site.keys.findCalling(key))?.scopes ?? [])]).toEqual(["write:records"]);
    const listed = (await run("grants")).out.find((line) => line.startsWith(prefix));
    expect(listed?.split("\t")).toEqual([
      prefix,
      owner.name,
      "write:records",
      expect.stringMatching(/T00:00:00.000Z$/),
      "",
      "live",
    ]);
    const taken = await run("ungrant", ...words);
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.err[0] ?? "")).toMatchObject({ security: "key.ungranted" });
    expect((await site.keys.findCalling(key))?.scopes.size).toBe(0);
    expect(await run("ungrant", ...words)).toMatchObject({ code: 1 });
  });

  it("names what is missing, and refuses a bad call before it does anything", async () => {
    const { owner, prefix } = await addKey();
    const until = ["--until", LAST_DAY];
    const unknown = await run("grant", "nobody of that name", prefix, "write:records", ...until);
    expect(unknown).toMatchObject({ code: 1, err: ["almanac: there is no such user"] });
    expect(await run("grant", owner.name, "alm_zzzz", "write:records", ...until)).toMatchObject({ code: 1 });
    for (const args of [
      [owner.name, prefix, "read:favorites", ...until],
      [owner.name, prefix, "write:records"],
      [owner.name, prefix, "write:records", "--until", "2020-01-01"],
      [owner.name, prefix, "write:records", "--until", "9999-01-01"],
    ]) {
      await expect(run("grant", ...args)).rejects.toThrow(UsageError);
    }
    expect(await site.db("api_key_grants").count()).toEqual([{ count: 0 }]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const database = useTestDatabase();
const folder = mkdtempSync(path.join(tmpdir(), "almanac-pipe-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A command whose output nobody reads, as after `| head -1`; with `left` nobody reads its messages either. */
async function runUnread(args: string[], left: "messages" | "nothing" = "messages") {
  const child = spawn(process.execPath, ["src/main.ts", ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let messages = "";
  child.stdout.destroy();
  if (left === "nothing") child.stderr.destroy();
  else child.stderr.on("data", (chunk) => (messages += chunk));
  const [code] = await once(child, "exit");
  return { code, messages };
}

describe("a command whose output is read no more", () => {
  it.each([[["help"]], [["doctor"]]])("%j ends without a stack", async (args) => {
    expect(await runUnread(args)).toEqual({
      code: 0,
      messages: expect.not.stringMatching(/EPIPE|^\s+at /m),
    });
  });

  it("does its work to the end all the same, and tells by its code how that went", async () => {
    const lines = Array.from({ length: 200 }, (_, id) => JSON.stringify({ id, name: `Item ${id}` }));
    const file = path.join(folder, "items.ndjson");
    writeFileSync(file, `${lines.join("\n")}\n`);
    expect(await runUnread(["import", "items", file, "--dry-run"], "nothing")).toMatchObject({ code: 0 });
    expect(await runUnread(["import", "items", file])).toEqual({ code: 0, messages: "" });
    expect(await database.db("items").count({ items: "*" }).first()).toEqual({ items: 200 });
    writeFileSync(file, "");
    expect(await runUnread(["import", "items", file])).toMatchObject({ code: 1 });
  });
});

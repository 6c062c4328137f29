import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const database = useTestDatabase();
const folder = mkdtempSync(path.join(tmpdir(), "almanac-fault-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A command on a database that takes no writes, as on a standby. */
async function runReadOnly(...args: string[]) {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c default_transaction_read_only=on");
  const env = { PATH: process.env.PATH, DATABASE_URL: url.href, DATA_DIR: folder };
  const run = promisify(execFile)(process.execPath, ["src/main.ts", ...args], {
    cwd: ROOT,
    env,
  });
  return run.then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

describe("a command on a read-only database", { timeout: 60_000 }, () => {
  it("says in one line that the database takes no writes", async () => {
    expect(await runReadOnly("demo", "remove")).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^almanac: demo: the database failed: cannot execute \w+ in a read-only transaction\n$/,
      ),
    });
  });

  it("finds nothing to do where no migration is pending", async () => {
    expect(await runReadOnly("migrate")).toEqual({ code: 0, stderr: "Nothing to do.\n" });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("../helpers/stubborn-processes.ts", import.meta.url));

it("a process of a group that does not stop is killed after a time", async () => {
  const child = spawn(process.execPath, [SCRIPT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let told = "";
  child.stdout.on("data", (chunk) => {
    told += chunk;
  });
  const ended = once(child, "exit");
  await expect.poll(() => told, { timeout: 30_000, interval: 50 }).toContain("2 processes answer.");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(told.match(/A process takes too long to stop and is killed\./g)).toHaveLength(2);
});

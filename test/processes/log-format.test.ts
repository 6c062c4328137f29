import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyDatabase, useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { untilReady } from "../helpers/sites.ts";
import { startWorker } from "../helpers/worker.ts";

const database = useTestDatabase();

describe("LOG_FORMAT=json", { timeout: 120_000 }, () => {
  const env = () => ({ DATABASE_URL: database.url, LOG_FORMAT: "json" });

  it("makes all that serve says a line of JSON on standard error, at any LOG_LEVEL", async () => {
    const port = await freePort();
    const own = { ...env(), PORT: String(port), POLL: "1", LOG_LEVEL: "error" };
    const { child, lines, output, ended } = startWorker(own, "serve");
    await untilReady(`http://127.0.0.1:${port}`);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(output).toEqual([]);
    const messages = lines.map((line) => JSON.parse(line).msg);
    expect(messages.join("\n")).toContain(`http://127.0.0.1:${port}`);
    expect(messages).toContain("Stopping after SIGTERM: finishing what is under way.");
  });

  it("holds for the reason of a failed start, which is fatal", async () => {
    const empty = await createEmptyDatabase();
    onTestFinished(() => empty.drop());
    const { lines, ended } = startWorker({ ...env(), DATABASE_URL: empty.url }, "worker");
    expect(await ended).toBe(1);
    const last = JSON.parse(lines.at(-1) ?? "");
    expect(last).toMatchObject({ level: 60, msg: expect.stringMatching(/^almanac: /) });
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("msg");
  });

  it("leaves the words of other commands to people", async () => {
    const { lines, output, ended } = startWorker(env(), "user", "list");
    expect(await ended).toBe(0);
    for (const line of [...lines, ...output]) expect(line).not.toMatch(/^\{/);
  });
});

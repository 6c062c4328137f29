import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Knex } from "knex";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { doctorCommand } from "../../src/commands/doctor.ts";
import { statusCommand } from "../../src/commands/status.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { freePort } from "../helpers/free-port.ts";
import { startSmtpPeer } from "../helpers/peers/smtp.ts";

const site = useTestApp();

beforeAll(async () => {
  await site.search.refresh();
});

interface Asked {
  command?: typeof statusCommand;
  args?: string[];
  env?: Record<string, string>;
  db?: () => Promise<Knex>;
}

/** What a command says; resolves to its lines and its exit code. */
async function run({ command = statusCommand, args = [], env = {}, db = async () => site.db }: Asked = {}) {
  const config = loadConfig({ DATA_DIR: "/tmp", ...env });
  const { code, out: lines } = await runCommand(command, site.db, args, { config, db });
  return { code, lines, text: lines.join("\n") };
}

/** The site on a port of this machine, or whatever answers in its place. */
async function listen(answer: Parameters<typeof createServer>[1] = site.app): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

describe("status", () => {
  it("says that all is well, and how much there is", async () => {
    await importRecords(site.db, "items", [
      { id: "one", name: "One" },
      { id: "two", name: "Two" },
    ]);
    await importRecords(site.db, "servers", [
      { id: "full", name: "Full", status: "online", online: 1200, max_online: 1200 },
      { id: "gone", name: "Gone", status: "offline" },
    ]);
    const PORT = await listen();
    const { code, lines, text } = await run({ env: { PORT } });
    expect(lines[0]).toMatch(
      new RegExp(`^ok   the site is ready at http://127.0.0.1:${PORT} \\(\\d+ ms\\)$`),
    );
    expect(text).toMatch(/^ok {3}Postgres \d+/m);
    expect(text).toMatch(/^ok {3}the database takes [\d.]+ MB; \d+ of \d+ connections are in use$/m);
    expect(lines).toContain("ok   jobs are done in time (0 due)");
    expect(lines).toContain("ok   no server is to be polled");
    expect(lines).toContain("ok   1,200 players on 1 of 2 servers");
    expect(lines).toContain("ok   records: items 2, servers 2");
    expect(text).toMatch(/^ok {3}largest tables: \w+ [\d.]+ [kM]B, /m);
    expect(code).toBe(0);
  });

  it("fails where the site does not answer", async () => {
    const PORT = String(await freePort());
    const { code, lines } = await run({ env: { PORT } });
    expect(lines[0]).toBe(`bad  the site does not answer at http://127.0.0.1:${PORT}: ECONNREFUSED`);
    expect(code).toBe(1);
  });

  it("lists what a site that is not ready lacks", async () => {
    const PORT = await listen((_req, res) =>
      res.writeHead(503).end('{"status":"not ready","database":false}'),
    );
    const { code, lines } = await run({ env: { PORT } });
    expect(lines[0]).toBe('bad  the site is not ready: {"status":"not ready","database":false}');
    expect(code).toBe(1);
  });

  it("still tells the rest while the database is away", async () => {
    const PORT = await listen();
    const db = async () => {
      throw new Error("no database here");
    };
    const { code, lines } = await run({ env: { PORT }, db });
    expect(lines[0]).toMatch(/^ok {3}the site is ready/);
    expect(lines).toContain("bad  database: no database here");
    expect(code).toBe(1);
  });

  it("reports jobs without a worker, and a poller that stopped", async () => {
    await addJobs(site.db, [{ task: "tell_discount", payload: {}, runAt: new Date(Date.now() - 600_000) }]);
    await site.db("servers").update({ adapter: "gamedig", checked_at: new Date(Date.now() - 3 * 3_600_000) });
    const { code, lines } = await run({ env: { PORT: await listen() } });
    expect(lines).toContain("warn 1 job due, the oldest for 10 min: run serve with WORKER=1, or worker");
    expect(lines).toContain("warn no server has been polled for 3 h: run serve with POLL=1, or poll");
    expect(code).toBe(0);
  });

  it("prints JSON for programs", async () => {
    const { lines, code } = await run({ args: ["--json"], env: { PORT: String(await freePort()) } });
    const { ok, findings } = JSON.parse(lines[0] ?? "");
    expect([lines.length, ok, code]).toEqual([1, false, 1]);
    expect(findings[0]).toEqual({ state: "bad", text: expect.stringContaining("does not answer") });
  });
});

describe("doctor", () => {
  const doctor = (SMTP_URL: string) => run({ command: doctorCommand, env: { SMTP_URL } });

  it("logs in to the mail server, and sends nothing", async () => {
    const peer = await startSmtpPeer();
    onTestFinished(() => peer.stop());
    const { text } = await doctor(peer.url());
    expect(text).toMatch(/^ok {3}the mail server smtp:\/\/\S+ takes mail$/m);
    expect(peer.mails).toEqual([]);
  });

  it("says why a mail server takes no mail, without the password", async () => {
    const port = await freePort();
    const { code, lines, text } = await doctor(`smtp://ann:s3cret@127.0.0.1:${port}`);
    expect(lines).toContain(
      `bad  the mail server smtp://ann:***@127.0.0.1:${port} takes no mail: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
    expect(text).not.toContain("s3cret");
    expect(code).toBe(1);
  });
});

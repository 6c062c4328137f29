import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import type request from "supertest";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { checkBackup } from "../../src/commands/backup/read-backup.ts";
import { takeBackup } from "../../src/commands/backup/take-backup.ts";
import { type Agent, TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, textOf } from "../helpers/html.ts";
import { addReader, notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";

const site = useTestApp({ baseUrl: "http://127.0.0.1:3000" });
/** All that settings can do is done, but for backups. */
const own = useTestApp({
  siteName: "Los Santos",
  look: { ...TEST_CONFIG.look, accent: "#b3341b" },
  baseUrl: "http://game.example",
  mail: { kind: "smtp", url: "smtp://127.0.0.1" },
});

const folder = await mkdtemp(path.join(tmpdir(), "almanac-home-"));
afterAll(() => rm(folder, { recursive: true }));

/** Whether the next backup fails after its first bytes: a folder is no vocabulary. */
let broken = false;
const backed = useTestApp({}, () => ({
  writeBackup: (to, signal) => {
    const vocabularyFile = broken ? folder : path.join(folder, "site.json");
    const site = { dataDir: folder, pictures: "files" as const, vocabularyFile, look: [], settings: {} };
    return takeBackup(backed.db, to, { site, signal });
  },
}));

function bytesOf(response: request.Response, done: (error: Error | null, bytes: Buffer) => void): void {
  const parts: Buffer[] = [];
  const stream = response as unknown as Readable;
  stream.on("data", (part: Buffer) => parts.push(part));
  stream
    .on("end", () => done(null, Buffer.concat(parts)))
    .on("error", (error) => done(error, Buffer.alloc(0)));
}

async function operatorOf(of: typeof site): Promise<Agent> {
  return (await of.logIn(await of.createUser({ role: "operator" }))).agent;
}

/** The section of the page with such a heading, or "". */
async function section(agent: Agent, id: string): Promise<string> {
  const { text } = await agent.get("/operator").expect(200);
  return elements(text, "section").find((each) => each.includes(`id="${id}"`)) ?? "";
}

/** Each step by its heading, and whether it is done. */
async function steps(agent: Agent): Promise<Record<string, boolean>> {
  const items = elements(await section(agent, "first-steps"), "li");
  return Object.fromEntries(
    items.map((item) => [textOf(elements(item, "strong")[0] ?? ""), textOf(item).includes("(done)")]),
  );
}

const server = (id: string, more: object) => ({
  id,
  name: id,
  adapter: "gamedig",
  status: "offline",
  checked_at: new Date(),
  ...more,
});

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

beforeEach(async () => {
  const { db } = site;
  await emptyCatalogue(db);
  for (const table of ["notifications", "discounts", "servers", "donate_items"]) await db(table).delete();
  await db.raw("delete from graphile_worker._private_jobs");
});

describe("the steps to a site of one's own", () => {
  it("are all left on a site that has just been started, each with its page or setting", async () => {
    const operator = await operatorOf(site);
    expect(await steps(operator)).toEqual({
      "Import your data": false,
      "Name your data": false,
      "Name the site": false,
      "Choose a color and a logo": false,
      "Set the public address": false,
      "Set up e-mail": false,
      "Set up backups": false,
    });
    const first = await section(operator, "first-steps");
    expect(textOf(first)).toContain("0 of 7 done");
    expect(first).toContain('href="/operator/imports/new"');
    expect(textOf(first)).toContain("start with the setting BASE_URL");
    expect(textOf(first)).toContain("e-mail notifications: Site settings");
  });

  it("are done by settings and records; only a game with places needs a map", async () => {
    await insertRecords(own.db, "houses", [{ id: "1" }]);
    expect(await steps(await operatorOf(own))).toEqual({
      "Import your data": true,
      "Name your data": false,
      "Name the site": true,
      "Choose a color and a logo": true,
      "Add a map": false,
      "Set the public address": true,
      "Set up e-mail": true,
      "Set up backups": false,
    });
  });

  it("have the demo data among them while it is there", async () => {
    await insertRecords(site.db, "items", [{ id: "1", demo: true }]);
    const left = await steps(await operatorOf(site));
    expect(Object.entries(left).slice(0, 2)).toEqual([
      ["Remove the demo data", false],
      ["Import your data", false],
    ]);
  });

  it("has backups, which the site cannot see, done when an operator says so", async () => {
    const operator = await operatorOf(site);
    await operator.post("/operator").type("form").send({ done: "mail" }).expect(400);
    expect((await steps(operator))["Set up backups"]).toBe(false);
    expect(await section(operator, "first-steps")).toContain('name="done" value="backup"');
    for (let twice = 0; twice < 2; twice++)
      await operator.post("/operator").type("form").send({ done: "backup" }).expect(303);
    expect(await steps(operator)).toMatchObject({ "Set up backups": true, "Set up e-mail": false });
    expect(await section(operator, "first-steps")).not.toContain('value="backup"');
    await site.db("settings").where({ key: "step backup" }).delete();
  });

  it("remove the demo data by a confirmed button, and nothing else", async () => {
    await insertRecords(site.db, "items", [{ id: "1", demo: true }, { id: "2" }]);
    const operator = await operatorOf(site);
    await operator.post("/operator").type("form").send({ done: "demo" }).expect(400);
    expect(await site.db("items").pluck("id")).toEqual(["1", "2"]);
    const [box = ""] =
      /<input type="checkbox"[^>]*name="confirm"[^>]*>/.exec(await section(operator, "first-steps")) ?? [];
    expect(box).toContain(" required");
    await operator.post("/operator").type("form").send({ done: "demo", confirm: "yes" }).expect(303);
    expect(await site.db("items").pluck("id")).toEqual(["2"]);
    expect(Object.keys(await steps(operator))).not.toContain("Remove the demo data");
    expect(await site.db("audit_log").where({ action: "demo.removed" }).first("before")).toMatchObject({
      before: { items: 1 },
    });
  });

  it("say once where settings go and that a restart is needed, while a setting is left", async () => {
    const where = `Settings go into the file ${path.resolve(".env")} , one NAME=value a line, or into the service’s environment. Restart the site afterwards.`;
    const tellings = async (operator: Agent) =>
      textOf(await section(operator, "first-steps")).split(where).length - 1;
    expect(await tellings(await operatorOf(site))).toBe(1);
    await emptyCatalogue(own.db);
    const operator = await operatorOf(own);
    expect(await tellings(operator)).toBe(1);
    await operator.post("/operator").type("form").send({ done: "backup" }).expect(303);
    expect(await steps(operator)).toMatchObject({ "Import your data": false, "Set up backups": true });
    expect(await tellings(operator)).toBe(0);
  });
});

describe("a backup that an operator downloads", () => {
  it("is whole and audited", async () => {
    const operator = await operatorOf(backed);
    expect(await section(operator, "backup")).toContain('action="/operator/backup"');
    const answer = await operator.post("/operator/backup").buffer().parse(bytesOf).expect(200);
    expect(answer.headers["content-disposition"]).toMatch(/filename=almanac-\d{8}T\d{6}Z\.tar/);
    const file = path.join(folder, "downloaded.tar");
    await writeFile(file, answer.body);
    const { seal } = await checkBackup(file);
    expect(seal.rows.users).toBe(1);
    expect(await backed.db("audit_log").pluck("action")).toEqual(["backup.downloaded"]);
  });

  it("breaks off if it fails on the way", async () => {
    broken = true;
    const operator = await operatorOf(backed);
    await expect(operator.post("/operator/backup").buffer().parse(bytesOf)).rejects.toThrow("aborted");
    broken = false;
    const status = async () => (await operator.post("/operator/backup")).status;
    await expect.poll(status).toBe(200);
  });

  it("is not offered by a process without the site's files", async () => {
    const operator = await operatorOf(site);
    expect(await section(operator, "backup")).toBe("");
    await operator.post("/operator/backup").expect(404);
  });
});

describe("what needs an operator's attention", () => {
  it("is not there while all is well", async () => {
    const servers = [
      server("up", { status: "online", last_online_at: new Date() }),
      server("down since noon", { last_online_at: ago(3) }),
      server("imported", { adapter: null, last_online_at: ago(90), checked_at: ago(90) }),
    ];
    await site.db("servers").insert(servers);
    expect(await section(await operatorOf(site), "concerns")).toBe("");
  });

  it("is servers that have not been online for a day, by name", async () => {
    await site
      .db("servers")
      .insert([
        ...["f", "e", "d", "c", "b"].map((id) => server(id, { last_online_at: ago(25) })),
        server("a", { status: "unknown", last_online_at: null, created_at: ago(25) }),
        server("added just now", { status: "unknown", last_online_at: null }),
      ]);
    expect(textOf(await section(await operatorOf(site), "concerns"))).toContain(
      "6 servers haven’t been online for a day: a, b, c, d, e, …. Servers",
    );
  });

  it("is a poller that has stopped, rather than servers", async () => {
    await site.db("servers").insert(server("a", { checked_at: ago(30), last_online_at: ago(30) }));
    const text = textOf(await section(await operatorOf(site), "concerns"));
    expect(text).toMatch(/No game server has been polled since .* UTC . Servers/);
    expect(text).not.toContain("for a day");
  });

  it("is notifications that were given up, and jobs that nobody does", async () => {
    await addDonateItem(site.db, "gold");
    const user = await addReader(site, { email: "each" });
    await toggleFavorite(site.db, user.id, "donate", "gold");
    await addDiscount(site.db, "sale", "gold");
    await notifyAll(site.db);
    await site.db("deliveries").update({ state: "dead", settled_at: site.db.fn.now() });
    await site.db.raw("update graphile_worker._private_jobs set run_at = now() - interval '20 minutes'");
    const text = textOf(await section(await operatorOf(site), "concerns"));
    expect(text).toContain("Jobs have been waiting for 20 minutes");
    expect(text).toContain("One notification couldn’t be delivered. Deliveries");
  });
});

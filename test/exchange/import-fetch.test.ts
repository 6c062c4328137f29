import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startJobs } from "../../src/commands/jobs/run.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { addJobs, type Tasks } from "../../src/db/jobs.ts";
import { fetchFile } from "../../src/exchange/imports/fetch-file.ts";
import { addDueFetches, fetchTasks } from "../../src/exchange/imports/sources.ts";
import { undoImport } from "../../src/exchange/imports/undo.ts";
import { uploadTasks } from "../../src/exchange/imports/uploads.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { openOnly } from "../helpers/egress.ts";
import { queuedJobs } from "../helpers/jobs.ts";

/** Opened before the site is made, which has to know the port. */
const peer = createServer((request, response) => {
  requests.push(request);
  answer(request, response);
});
peer.listen(0, "127.0.0.1");
await once(peer, "listening");
const { port } = peer.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;
const egress = openOnly(origin);

const site = useTestApp({ privateAddresses: egress.opened });
let operator: Agent;
let jobs: ReturnType<typeof startJobs>;
let requests: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

const send = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
  answer = (_request, response) => void response.writeHead(status, headers).end(body);
};
const items = (...ids: string[]) => JSON.stringify(ids.map((id) => ({ key: id, title: `Item ${id}` })));

beforeAll(async () => {
  operator = (await site.logIn(await site.createUser({ name: "Olga", role: "operator" }))).agent;
  const parts = { db: site.db, vocabulary: new LiveVocabulary() };
  const tasks = { ...uploadTasks(parts), ...fetchTasks({ ...parts, egress }) } as Tasks;
  jobs = startJobs({ db: site.db, tasks, log: pino({ level: "silent" }) });
});
afterAll(async () => {
  await jobs.stop();
  peer.close();
  peer.closeAllConnections();
});
beforeEach(async () => {
  requests = [];
  await emptyTables(
    site.db,
    "items, imports, import_changes, import_sources, import_uploads, record_sources, catalogue_tombstones, audit_log",
  );
});

const page = async (path: string) => (await operator.get(path).expect(200)).text;
const post = (path: string, form: object) => operator.post(path).type("form").send(form);
const add = (form: object = {}) =>
  post("/operator/imports/new", { url: `${origin}/items.json`, kind: "items", source: "wiki", ...form });
const act = async (action: string, form: object = {}, status = 303) =>
  post(`/operator/imports/sources/${(await source())?.id ?? 0}`, { action, ...form }).expect(status);
const source = () => site.db("import_sources").where({ name: "wiki" }).first();
const ids = () => site.db("items").orderBy("id").pluck("id");

/** Waits until all jobs are done. */
async function work(): Promise<void> {
  await expect.poll(() => queuedJobs(site.db), { interval: 20 }).toEqual([]);
}

/** Makes a source of what the peer serves, as an operator does. */
async function save(form: object = {}): Promise<void> {
  const { headers } = await add().expect(303);
  const path = String(headers.location);
  await post(path, { "field.0": "id", "field.1": "name", hours: "1", prune: "1", ...form }).expect(303);
  await work();
  expect(await page(path)).toContain("Added:");
  await post(path, { action: "apply" }).expect(303);
  await work();
}

/** Lets the next time by the schedule come. */
async function fetchWhenDue(): Promise<void> {
  await site.db("import_sources").update({ next_fetch_at: site.db.raw("now() - interval '1 second'") });
  await addDueFetches(site.db);
  await work();
}

describe("an address", () => {
  it("is fetched, mapped, checked, applied and kept as a source", async () => {
    send(items("a", "b"), { etag: '"1"', "last-modified": "Sun, 29 Nov 2026 10:00:00 GMT" });
    await save();
    expect(await ids()).toEqual(["a", "b"]);
    const url = `${origin}/items.json`;
    expect(await source()).toMatchObject({ url, settings: { everyHours: 1, prune: true } });
    const list = await page("/operator/imports");
    expect(list).toContain("2 added");
    expect(list).toContain("Next fetch");
    const audited = await site.db("audit_log").where({ action: "source.changed" }).first();
    expect(audited).toMatchObject({ user_name: "Olga", after: { url, hours: 1 } });
  });

  it("is fetched again when due, and imported as an import by nobody, which can be undone", async () => {
    send(items("a", "b"));
    await save();
    send(items("a", "c"));
    await fetchWhenDue();
    expect(await ids()).toEqual(["a", "c"]);
    const last = await site.db("imports").orderBy("id", "desc").first();
    expect(last).toMatchObject({ source: "wiki", file: "items.json", user_name: null, added: 1, removed: 1 });
    await undoImport(site.db, last.id, { by: COMMAND });
    expect(await ids()).toEqual(["a", "b"]);
    // The same file does not redo what an operator has undone.
    await fetchWhenDue();
    expect(await ids()).toEqual(["a", "b"]);
  });

  it("is requested conditionally, and not imported again if it has not changed", async () => {
    send(items("a"), { etag: '"1"', "last-modified": "Sun, 29 Nov 2026 10:00:00 GMT" });
    await save();
    send("", {}, 304);
    await fetchWhenDue();
    expect(requests.at(-1)?.headers).toMatchObject({
      "if-none-match": '"1"',
      "if-modified-since": "Sun, 29 Nov 2026 10:00:00 GMT",
    });
    expect(await page("/operator/imports")).toContain("nothing has changed");
    send(items("a"));
    await fetchWhenDue();
    expect(await source()).toMatchObject({ failures: 0, outcome: {} });
    expect(await site.db("imports").whereNotNull("via").pluck("added")).toEqual([1]);
  });

  it("is fetched once by all processes together, and not before its time", async () => {
    send(items("a"));
    await save();
    await addDueFetches(site.db);
    await site.db("import_sources").update({ next_fetch_at: site.db.raw("now()") });
    await Promise.all(Array.from({ length: 5 }, () => addDueFetches(site.db)));
    await work();
    expect(requests).toHaveLength(2);
    expect((await source()).next_fetch_at.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it.each([
    ["ftp://host/file", "begins with https://"],
    ["http://user:secret@host/", "begins with https://"],
    ["http://10.0.0.1/", "public Internet"],
    ["http://localhost:1/", "public Internet"],
    [`${origin}/${"x".repeat(1000)}`, "begins with https://"],
  ])("is refused with a reason that loses nothing typed: %s", async (url, reason) => {
    const { text } = await add({ url, list: "data.items" }).expect(400);
    expect(text).toContain(reason);
    expect(text).toContain(`value="${url}"`);
    expect(text).toContain('value="data.items"');
    expect(requests).toEqual([]);
  });

  it("is shown again as typed after a session has ended", async () => {
    const form = { url: `${origin}/typed.json`, kind: "items" };
    const { text } = await site.agent().post("/operator/imports/new").type("form").send(form);
    const typed = /name="typed" value="([^"]+)"/.exec(text)?.[1];
    const { name, password } = await site.createUser({ role: "operator" });
    const again = site.agent();
    await again.post("/login").type("form").send({ name, password, typed }).expect(303);
    expect((await again.get("/login/typed").expect(200)).text).toContain(`value="${form.url}"`);
    expect(await site.db("import_uploads").pluck("id")).toEqual([]);
  });
});

describe("the page of a source", () => {
  it("waits for a fetch without a form to lose, and the list with the forms never reloads", async () => {
    send(items("a"));
    await save();
    let finish: () => void = () => undefined;
    answer = (_request, response) => {
      finish = () => response.end(items("a", "b"));
    };
    const path = `/operator/imports/sources/${(await source()).id}`;
    expect((await act("fetch")).headers.location).toBe(path);
    const waiting = await operator.get(path).expect(200);
    expect(waiting.headers.refresh).toBe("3");
    expect(waiting.text).not.toContain('action="/operator/imports');
    const list = await operator.get("/operator/imports").expect(200);
    expect(list.headers).not.toHaveProperty("refresh");
    expect(list.text).toContain(`href="${path}"`);
    await expect.poll(() => requests).toHaveLength(2);
    finish();
    await work();
    const { headers } = await operator.get(path).expect(303);
    expect(headers.location).toBe(`/operator/imports#source-${(await source()).id}`);
    await operator.get("/operator/imports/sources/0").expect(404);
  });
});

describe("a bad answer", () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;
  const endless: Answer = (_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const next = () => void (response.destroyed || response.write(chunk, () => setImmediate(next)));
    next();
  };
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024));
  const redirect =
    (location: string): Answer =>
    (_, response) =>
      response.writeHead(302, { location }).end();
  const cutBody: Answer = (_, response) =>
    response.writeHead(200, { "content-length": "500" }).write(items("a"), () => response.destroy());

  it.each<[string, string, Answer]>([
    ["a page", "The file is HTML or XML", (_, response) => response.end("\ufeff <!doctype html>")],
    ["404", "status 404", (_, response) => response.writeHead(404).end(items("a"))],
    ["304 to an unconditional request", "(304)", (_, response) => response.writeHead(304).end()],
    ["a cut body", "ECONNRESET", cutBody],
    ["a body without an end", "A file can be at most 32 MB.", endless],
    [
      "a body that unpacks to too many bytes",
      "A file can be at most 32 MB.",
      (_, response) => response.setHeader("content-encoding", "gzip").end(bomb),
    ],
    [
      "a file that unpacks to too many bytes",
      "A file can be at most 32 MB.",
      (_, response) => response.end(bomb),
    ],
    ["a redirect to a private address", "public Internet", redirect("http://127.0.0.2/")],
    ["a redirect to a name with a private address", "public Internet", redirect("http://localhost:1/")],
    ["a redirect to a file", "public Internet", redirect("file:///etc/passwd")],
  ])("is shown with its reason: %s", async (_name, reason, bad) => {
    answer = bad;
    expect((await add().expect(400)).text).toContain(reason);
    expect(await site.db("import_uploads").pluck("id")).toEqual([]);
  });

  it.each([
    [5, 303],
    [6, 400],
  ])("may be five redirects away, and no more: %d", async (redirects, status) => {
    answer = ({ url }, response) => {
      const step = Number(/\d+$/.exec(url ?? "")?.[0] ?? 0);
      if (step < redirects) response.writeHead(302, { location: `/${step + 1}` }).end();
      else response.end(items("a"));
    };
    await add().expect(status);
    expect(requests).toHaveLength(6);
  });

  it("is abandoned after the time limit", async () => {
    answer = (_request, response) => void response.writeHead(200).write("[");
    await expect(fetchFile(origin, { egress, timeoutS: 0.1 })).rejects.toThrow("timeout 0.1");
  });

  it("changes nothing, is retried at the next time, and pauses the source after five failures", async () => {
    send(items("a"));
    await save();
    send("", {}, 500);
    for (let failures = 1; failures <= 5; failures++) {
      await fetchWhenDue();
      expect(await source()).toMatchObject({ failures, paused: failures < 5 ? null : "failures" });
    }
    expect(await ids()).toEqual(["a"]);
    expect(await page("/operator")).toContain("left out most records: wiki");
    const before = requests.length;
    await fetchWhenDue();
    expect(requests).toHaveLength(before);
    // A fetch by hand that succeeds ends the pause.
    send(items("a", "b"));
    await act("fetch");
    await work();
    expect(await source()).toMatchObject({ failures: 0, paused: null });
    expect(await ids()).toEqual(["a", "b"]);
    expect(await page("/operator")).not.toContain("left out most records");
  });

  it("is explained in the language of the page", async () => {
    send(items("a", "b", "c"));
    await save();
    for (const [file, russian, english] of [
      ["<html>", "файл — HTML или XML", "the file is HTML or XML"],
      ['[{"key": "a"}]', "запись 1: name: не указано", "record 1: name: is missing"],
      ["[]", "пришлось бы удалить больше половины записей", "--prune would remove"],
    ] as const) {
      send(file);
      await fetchWhenDue();
      expect(await page("/operator/imports")).toContain(english);
      const text = await page("/ru/operator/imports");
      expect(text).toContain(russian);
      expect(text).not.toContain(english);
    }
    send("", {}, 500);
    const form = { url: `${origin}/x`, kind: "items" };
    const { text } = await post("/ru/operator/imports/new", form).expect(400);
    expect(text).toContain("Сервер ответил кодом 500.");
  });

  it("removes nothing if it lacks more than half of the records, even with the box of the first import", async () => {
    send(items("a", "b", "c"));
    await save({ force: "1" });
    for (const file of ["[]", items("a"), items("x", "y", "z")]) {
      send(file);
      await site.db("import_sources").update({ paused: null });
      await fetchWhenDue();
      expect(await source()).toMatchObject({ paused: "gone" });
      expect(await ids()).toEqual(["a", "b", "c"]);
    }
    expect(await page("/operator/imports")).toContain("lacks more than half of the records");
    send(items("a", "b"));
    await act("resume");
    await fetchWhenDue();
    expect(await ids()).toEqual(["a", "b"]);
  });

  it("is not applied if its records have no field for the ID any more", async () => {
    send(items("a"));
    await save();
    const { validators } = await source();
    send('{"error": "limit"}');
    await fetchWhenDue();
    expect(await source()).toMatchObject({ failures: 1, outcome: { reason: "file" }, validators });
    expect(await site.db("items").select("id", "name")).toEqual([{ id: "a", name: "Item a" }]);
    expect(await page("/operator/imports")).toContain("id: is missing");
  });
});

describe("a source that is fetched", () => {
  beforeEach(async () => {
    send(items("a"));
    await save();
  });

  it("is paused, resumed, rescheduled, and deleted without its records; all is audited", async () => {
    await act("pause");
    expect(await page("/operator")).not.toContain("left out most records");
    const before = requests.length;
    await fetchWhenDue();
    // A job that was added before the pause fetches nothing either.
    await addJobs(site.db, [{ task: "fetch_source", payload: { id: (await source()).id, byHand: 0 } }]);
    await work();
    expect(requests).toHaveLength(before);
    await act("resume");
    await addDueFetches(site.db);
    await work();
    expect(requests).toHaveLength(before + 1);
    await act("schedule", { hours: "168" });
    expect((await source()).next_fetch_at.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
    await act("schedule", { hours: "0" });
    expect((await source()).next_fetch_at).toBeNull();
    let release = () => {};
    answer = (_request, response) => {
      release = () => void response.end(items("a"));
    };
    await act("fetch");
    await page("/operator/imports");
    expect(await page("/operator/imports")).toContain("The file is being fetched.");
    await expect.poll(() => requests.length).toBe(before + 2);
    release();
    await work();
    expect(await page("/operator/imports")).not.toContain("The file is being fetched.");
    await act("delete");
    expect(await source()).toBeUndefined();
    expect(await ids()).toEqual(["a"]);
    const audited = await site.db("audit_log").whereLike("action", "source.%").orderBy("id");
    expect(audited.map(({ action, after }) => [action, after])).toEqual([
      ["source.changed", { url: `${origin}/items.json`, hours: 1 }],
      ["source.changed", { paused: "operator" }],
      ["source.changed", { paused: null }],
      ["source.changed", { hours: 168 }],
      ["source.changed", { hours: 0 }],
      ["source.fetched", null],
      ["source.deleted", null],
    ]);
    await act("fetch", {}, 404);
    await act("explode", {}, 400);
  });

  it("stays as it is if it is deleted, or gets other fields, while its file is read", async () => {
    const settings = site.db.raw("jsonb_set(settings, '{prune}', 'false')");
    const changes = [
      () => site.db("import_sources").update({ settings }),
      () => site.db("import_sources").delete(),
    ];
    for (const change of changes) {
      answer = (_request, response) => void change().then(() => response.end(items("a", "b")));
      await fetchWhenDue();
      expect(await ids()).toEqual(["a"]);
    }
    expect(requests).toHaveLength(3);
  });

  it("is imported with new fields though its file is the same", async () => {
    await save({ "field.1": "name.en" });
    expect((await source()).settings.fields).toMatchObject({ title: "name.en" });
    const upload = operator.post("/operator/imports/new").field({ kind: "items", source: "wiki" });
    const { headers } = await upload.attach("file", Buffer.from(items("a", "b")), "b.json").expect(303);
    await post(String(headers.location), { "field.0": "id", "field.1": "name", hours: "1", prune: "1" });
    await work();
    await post(String(headers.location), { action: "apply" });
    await work();
    expect(await ids()).toEqual(["a", "b"]);
    expect((await source()).url).toBe(`${origin}/items.json`);
    send(items("a"));
    await fetchWhenDue();
    expect(await ids()).toEqual(["a"]);
  });

  it("gets none of the fields that its publisher adds later, and is refused without its kind", async () => {
    send(JSON.stringify([{ key: "a", title: "Axe", description: "Buy at …", attributes: { x: 1 } }]));
    await fetchWhenDue();
    const stored = await site.db("items").select("name", "description", "attributes");
    expect(stored).toEqual([{ name: "Axe", description: null, attributes: {} }]);
    await site.db("import_sources").update({ kind: "ghosts" });
    await fetchWhenDue();
    expect(await page("/operator/imports")).toContain("no longer has the kind ghosts");
  });

  it("is another source than one whose address ends in the same file", async () => {
    for (const folder of ["a", "b"])
      await add({ url: `${origin}/${folder}/items.json`, source: "" }).expect(303);
    const names = await site.db("import_uploads").orderBy("id").pluck("source");
    expect(new Set(names).size).toBe(3);
  });
});

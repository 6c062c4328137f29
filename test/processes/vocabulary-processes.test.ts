import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { startSite } from "../helpers/sites.ts";
import { startWorker } from "../helpers/worker.ts";

const database = useTestDatabase();
const LOGIN = { name: "words", password: "a password of an operator" };

async function send(url: string, fields: Record<string, string>, cookie = ""): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: cookie === "" ? {} : { Cookie: cookie },
    redirect: "manual",
  });
}

async function logIn(site: string): Promise<string> {
  const { headers } = await send(`${site}/login`, LOGIN);
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** Saves a file through the form, as its text. */
async function save(site: string, cookie: string, text: string): Promise<number> {
  const address = `${site}/operator/vocabulary/text`;
  const page = await (await fetch(address, { headers: { Cookie: cookie } })).text();
  const stamp = /name="stamp" value="([^"]*)"/.exec(page)?.[1] ?? "";
  return (await send(address, { stamp, text, step: "save" }, cookie)).status;
}

const wordsFor = (label: string) => `{ "attributes": { "damage": { "label": "${label}" } } }\n`;
const pageOf = async (site: string) => textOf(mainOf(await (await fetch(`${site}/en/items/ak`)).text()));

it("shows words saved in one process on the cached pages of the others, and a worker goes on", {
  timeout: 180_000,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-words-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "site.json");
  await writeFile(file, wordsFor("Harm 0"));
  await importRecords(database.db, "items", [{ id: "ak", name: "AK-47", attributes: { damage: 30 } }]);
  await createUser(database.db, { ...LOGIN, role: "operator" });
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, SITE_SCHEMA: file, POLL: "0", WORKER: "0" };
  const [{ url: one }, { url: other }] = await Promise.all([startSite(env), startSite(env)]);
  const worker = startWorker(env);
  // A worker that still starts would say that it uses the last good file instead of the broken one below.
  await expect.poll(() => worker.lines.join("\n")).toContain("Working");
  const cookie = await logIn(one);
  for (const site of [one, other]) await expect.poll(() => pageOf(site)).toContain("Harm 0");

  for (const label of ["Harm 1", "Harm 2"]) {
    expect(await save(one, cookie, wordsFor(label))).toBe(303);
    expect(await pageOf(one)).toContain(label);
    await expect.poll(() => pageOf(other)).toContain(label);
  }
  // The form of another process replaces a file that was broken by hand.
  await writeFile(file, "{ broken");
  expect(await save(other, await logIn(other), wordsFor("Harm 3"))).toBe(303);
  await expect.poll(() => pageOf(one)).toContain("Harm 3");
  expect(await readFile(file, "utf8")).toBe(wordsFor("Harm 3"));
  expect(worker.child.exitCode).toBeNull();
});

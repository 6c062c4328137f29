import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { closeConnection, createDb, createPgPool, openConnection } from "../../src/db/connect.ts";
import { isDatabaseAway } from "../../src/db/failures.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { useEmbedded } from "../helpers/embedded.ts";
import { startSilentProxy } from "../helpers/peers/silent-proxy.ts";
import { startPair } from "../helpers/postgres-pair.ts";
import { startSites } from "../helpers/sites.ts";
import { startReaders } from "../helpers/steady-readers.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const embedded = useEmbedded();

it("keeps a site and every kind of connection working after a failover, with all acknowledged writes", {
  timeout: 180_000,
}, async () => {
  const pair = await startPair(embedded);
  onTestFinished(async () => void (await Promise.all([pair.primary.kill(), pair.standby.kill()])));
  const proxy = await startSilentProxy(pair.primary.url);
  const env = { DATABASE_URL: proxy.url, MIGRATE_ON_START: "1", DATA_DIR: await embedded.dataDirectory() };
  const limits = { API_KEY_LIMIT: "0", API_ADDRESS_LIMIT: "0", PAGE_LIMIT: "0", LOG_LEVEL: "error" };
  const site = await startSites(1, { ...env, ...limits });
  const db = createDb({ url: proxy.url, poolMax: 3 });
  onTestFinished(() => db.destroy());
  await db.raw("create table kept as select 1 as number");
  const pool = createPgPool(db, { max: 1 });
  onTestFinished(() => pool.end());
  const insert = (number: number) => pool.query("insert into kept values ($1)", [number]);
  await insert(2);
  const body = new URLSearchParams({ name: "Writer", password: "a password for one minute" });
  await fetch(`${site.url}/register`, { method: "POST", body, redirect: "manual" });
  const { id } = await db("users").where({ name: "Writer" }).first("id");
  const { key } = await addWriteKey(db, id);
  const put = async (name: string) => {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const body = JSON.stringify({ name });
    const signal = AbortSignal.timeout(10_000);
    const sent = fetch(`${site.url}/api/items/${name}`, { method: "PUT", headers, body, signal });
    return sent.then(
      ({ status }) => status,
      () => 0,
    );
  };
  const acknowledged: string[] = [];
  let isOver = false;
  const writing = (async () => {
    for (let number = 0; !isOver; number++) {
      if ((await put(`one-${number}`)) === 201) acknowledged.push(`one-${number}`);
      await delay(50);
    }
  })();
  const readers = startReaders(site.url, ["/", "/items", "/healthz"], 30);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
  await pair.primary.kill();
  // The database counts as down as long as there is no primary.
  expect(await db.raw("select 1").then(undefined, isDatabaseAway)).toBe(true);
  expect(await db.raw("select 1").then(undefined, isDatabaseAway)).toBe(true);
  await pair.standby.promote();
  proxy.leadTo(pair.standby.port);
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 5);
  isOver = true;
  await writing;
  const ends = await readers.stop();
  expect(Object.keys(ends).filter((end) => end !== "200" && end !== "503")).toEqual([]);
  expect(await db("items").whereIn("id", acknowledged).pluck("id")).toHaveLength(acknowledged.length);
  const last = acknowledged.at(-1) ?? "";
  // Heard by LISTEN or asked for: the index follows the new primary.
  const find = () => fetch(`${site.url}/api/search?q=${last}`).then((answer) => answer.text());
  await expect.poll(find).toContain(`"id":"${last}"`);
  await addJobs(db, [{ task: "tell_crossing", payload: { crossingId: 1 } }]);
  const waiting = () => db("graphile_worker.jobs").where({ task_identifier: "tell_crossing" }).pluck("id");
  await expect.poll(waiting).toEqual([]);
  const insertByKnex = () => db("kept").insert({ number: 3 });
  await expect.poll(() => insertByKnex().then(Boolean, () => false)).toBe(true);
  await expect.poll(() => insert(4).then(Boolean, () => false)).toBe(true);
  const connection = await openConnection(db);
  await connection.query("insert into kept values (5)");
  await closeConnection(connection);
  expect(await db("kept").pluck("number").orderBy("number")).toEqual([1, 2, 3, 4, 5]);
});

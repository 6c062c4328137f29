import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createDb } from "../src/db/connect.ts";
import { useEmbedded } from "./helpers/embedded.ts";
import { type PostgresPair, startPair } from "./helpers/postgres-pair.ts";
import { startSites } from "./helpers/sites.ts";
import { startReaders } from "./helpers/steady-readers.ts";
import { startWorker } from "./helpers/worker.ts";
import { addWriteKey } from "./helpers/write-keys.ts";

const embedded = useEmbedded();
const COUNT = 400;
const METRICS_TOKEN = "sixteen-letters-or-more";

describe("DATABASE_READ_URL", { timeout: 180_000 }, () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPair(embedded);
  });
  afterEach(async () => {
    await Promise.all([pair.primary.kill(), pair.standby.kill()]);
  });

  async function askServer(url: string, sql: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query(sql).finally(() => client.end());
  }
  const askStandby = (sql: string) => askServer(pair.standby.url, sql);

  /** When the standby was last asked for what is on pages, in milliseconds of its clock. */
  async function lastRead(): Promise<number> {
    const { rows } = await askStandby(
      `select coalesce(max(query_start), 'epoch') as at from pg_stat_activity
        where application_name = 'almanac reads' and query !~ '_wal_|pg_control'`,
    );
    return rows[0].at.getTime();
  }

  /** A site with many items, none of which anybody has asked for. */
  async function startSite() {
    const { url } = pair.primary;
    const limits = { API_KEY_LIMIT: "0", API_ADDRESS_LIMIT: "0", PAGE_LIMIT: "0", LOG_LEVEL: "info" };
    const site = await startSites(1, {
      ...limits,
      ...{ DATABASE_URL: url, DATABASE_READ_URL: pair.standby.url, MIGRATE_ON_START: "1" },
      METRICS_TOKEN,
      DATA_DIR: await embedded.dataDirectory(),
    });
    const db = createDb({ url, poolMax: 3 });
    onTestFinished(() => db.destroy());
    await db.raw(
      `insert into items (id, name) select 'item-' || n, 'Item ' || n from generate_series(1, ${COUNT}) n`,
    );
    const form = new URLSearchParams({ name: "Writer", password: "a password for one minute" });
    const entered = await fetch(`${site.url}/register`, { method: "POST", body: form, redirect: "manual" });
    const cookie = entered.headers.getSetCookie().join().split(";")[0] ?? "";
    const { id } = await db("users").where({ name: "Writer" }).first("id");
    const { key } = await addWriteKey(db, id);
    let next = 1;
    /** Reads pages that nobody has asked for before; resolves to their statuses. */
    const read = async (count: number, headers: Record<string, string> = {}, path = "/items/") => {
      const statuses = new Set<number>();
      for (; count > 0; count--)
        statuses.add((await fetch(`${site.url}${path}item-${next++}`, { headers })).status);
      return [...statuses];
    };
    return {
      db,
      cookie,
      key,
      url: site.url,
      /** Visitors read until the standby is asked after `before`. */
      readThere: (before: number) =>
        expect
          .poll(
            async () => {
              await read(1);
              return lastRead();
            },
            { interval: 100, timeout: 10_000 },
          )
          .toBeGreaterThan(before),
      log: () => site.processes[0]?.process.lines.join("\n") ?? "",
      read,
      put: async (name: string) => {
        const headers = { "X-API-Key": key, "Content-Type": "application/json" };
        const body = JSON.stringify({ name });
        return (await fetch(`${site.url}/api/items/item-1`, { method: "PUT", headers, body })).status;
      },
    };
  }

  it("takes what visitors read to the standby; what users and keys read goes to the primary", async () => {
    const { read, readThere, cookie, key, db, url } = await startSite();
    await readThere(await lastRead());
    const before = await lastRead();
    expect(await read(20, { Cookie: cookie })).toEqual([200]);
    expect(await read(20, { "X-API-Key": key }, "/api/items/")).toEqual([200]);
    expect(await lastRead()).toBe(before);
    await readThere(before);
    const metrics = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
    expect(await metrics.text()).toMatch(
      /^almanac_database_connections\{pool="requests_standby",state="free"\} [1-9]\d*$/m,
    );
    // What has to be stored on the way is stored by the primary.
    expect((await fetch(`${url}/items`)).status).toBe(200);
    expect(await db("catalogue_facets").where({ kind: "items" }).pluck("kind")).toEqual(["items"]);
  });

  it("is checked by doctor, and at the start: it must be a copy of the primary", async () => {
    const env = {
      DATABASE_URL: pair.primary.url,
      MIGRATE_ON_START: "1",
      DATA_DIR: await embedded.dataDirectory(),
    };
    const doctor = async (url: string) => {
      const { ended, output } = startWorker({ ...env, DATABASE_READ_URL: url }, "doctor");
      await ended;
      return output.join("\n");
    };
    expect(await doctor(pair.standby.url)).toMatch(
      /^ok\s+the standby at DATABASE_READ_URL is [\d.]+ \w+ behind$/m,
    );
    expect(await doctor(pair.primary.url)).toMatch(/^bad\s+the server at DATABASE_READ_URL is no standby/m);
    const other = await embedded.start(`${await embedded.dataDirectory()}/postgres`);
    expect(await doctor(other.url)).toMatch(/^bad\s+standby: DATABASE_READ_URL leads to other data/m);
    const site = startWorker({ ...env, DATABASE_READ_URL: other.url, PORT: "0" }, "serve");
    expect(await site.ended).toBe(1);
    expect(site.lines.at(-1)).toContain("DATABASE_READ_URL leads to other data than DATABASE_URL");
  });

  it("asks no standby that is behind: a change is seen within a second", async () => {
    const { read, readThere, put, url } = await startSite();
    const see = async () => (await fetch(`${url}/items/item-1`)).text();
    expect(await see()).toContain("Item 1");
    await askStandby("select pg_wal_replay_pause()");
    for (let number = 1; number <= 5; number++) {
      expect(await put(`Changed ${number}`)).toBe(200);
      await expect.poll(see, { timeout: 1_000, interval: 50 }).toContain(`Changed ${number}`);
    }
    const before = await lastRead();
    expect(await read(20)).toEqual([200]);
    expect(await lastRead()).toBe(before);
    await askStandby("select pg_wal_replay_resume()");
    await readThere(before);
  });

  it("does without a standby that goes away, or its own way, and asks it again when it is back", async () => {
    const { read, readThere, url, log } = await startSite();
    // Else writes would wait for it.
    await askServer(pair.primary.url, "alter system set synchronous_standby_names = ''");
    await askServer(pair.primary.url, "select pg_reload_conf()");
    await readThere(await lastRead());
    const paths = Array.from({ length: 200 }, (_, n) => `/items/item-${COUNT - n}`);
    const readers = startReaders(url, paths, 100);
    await delay(500);
    await pair.standby.kill();
    await delay(1_500);
    const { "200": good = 0, "503": refused = 0, ...others } = await readers.stop();
    expect(others).toEqual({});
    expect(good).toBeGreaterThan(150);
    // At most what was being read from it right then.
    expect(refused).toBeLessThanOrEqual(2);
    expect(log()).toContain("the standby is away: the primary answers its reads");
    await pair.standby.start();
    const readAgain = async () => {
      await read(1);
      return log();
    };
    await expect.poll(readAgain, { interval: 200, timeout: 10_000 }).toContain("the standby answers again");
    const before = await lastRead();
    await readThere(before);

    await pair.standby.promote();
    await askServer(pair.standby.url, "update items set name = 'Of another site'");
    await delay(1_000);
    expect(await (await fetch(`${url}/items/item-150`)).text()).not.toContain("Of another site");
  });
});

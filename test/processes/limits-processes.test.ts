import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { createUser } from "../../src/accounts/queries.ts";
import { selectRow } from "../../src/db/rows.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { countOf, type Hit, hammer } from "../helpers/hammer.ts";
import { type Sites, startSites } from "../helpers/sites.ts";

const database = useTestDatabase();

/** The default is a minute and 300: LIMIT_TEST_WINDOW_S=60 LIMIT_TEST_QUOTA=300 tries that. */
const WINDOW_S = Number(process.env.LIMIT_TEST_WINDOW_S ?? "6");
const QUOTA = Number(process.env.LIMIT_TEST_QUOTA ?? "60");
const TEN_TIMES = (10 * QUOTA) / WINDOW_S;

let users = 0;
async function newKey(): Promise<Record<string, string>> {
  users += 1;
  const id = await createUser(database.db, { name: `caller ${users}`, password: "a long enough password" });
  const key = await createKey(database.db, Number(id), { name: "limited", expiry: "never" });
  return { "X-API-Key": String(key) };
}

/** Three processes that know of each other. */
async function startThree(): Promise<Sites> {
  const env = { DATABASE_URL: database.url, POLL: "0", WORKER: "0", LOG_LEVEL: "warn" };
  const limits = { API_KEY_LIMIT: String(QUOTA), LIMIT_WINDOW_S: String(WINDOW_S) };
  const sites = await startSites(3, { ...env, ...limits });
  const headers = await newKey();
  for (const { url } of sites.processes)
    expect((await fetch(`${url}/api/online`, { headers })).status).toBe(200);
  // Each reports its call to the others.
  await delay(2_500);
  return sites;
}

/** Rows that were written to the database, by anybody and to any table. */
async function countWritten(): Promise<number> {
  // Connections say what they did once a second.
  await delay(1_500);
  const { rows } = await selectRow<{ rows: number }>(
    database.db,
    `select (tup_inserted + tup_updated + tup_deleted)::integer as rows
       from pg_stat_database where datname = current_database()`,
  );
  return rows;
}

/** On a busy machine the last calls may fall into the next window. */
const withinWindow = (hits: readonly Hit[]) => hits.filter(({ at }) => at < (WINDOW_S - 0.5) * 1000);

/** By how much each answer is wrong about what was left. */
const errorsOf = (hits: readonly Hit[]) =>
  hits.flatMap(({ r, status }, place) => {
    const left = QUOTA - countOf(hits.slice(0, place + 1), 200);
    return status === 200 ? [Math.abs(r - left)] : [];
  });

it("shares a quota among three processes behind one port, and reports what is left", {
  timeout: 240_000,
}, async () => {
  const sites = await startThree();
  await serveWhatIsDocumented(sites);
  await serveOneConnection(sites);
  await goOnWithoutOne(sites);
});

/** The client calls ten times as often as it may. */
async function serveWhatIsDocumented({ url }: Sites): Promise<void> {
  const headers = await newKey();
  const before = await countWritten();
  const began = performance.now();
  const all = await hammer(`${url}/api/online`, headers, {
    perSecond: TEN_TIMES,
    seconds: WINDOW_S - 0.5,
  });
  const hits = withinWindow(all);
  const written = (await countWritten()) - before;
  const seconds = (performance.now() - began) / 1000;
  const answered = countOf(hits, 200);
  const errors = errorsOf(hits);
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  if (WINDOW_S === 60)
    process.stdout.write(
      `${JSON.stringify({ calls: hits.length, answered, written, mean, most: Math.max(...errors) })}\n`,
    );

  expect(countOf(hits, 429)).toBe(hits.length - answered);
  expect(answered).toBeGreaterThanOrEqual(QUOTA * 0.95);
  expect(answered).toBeLessThanOrEqual(QUOTA * 1.05);
  // The rest are exchanges: a row for the process and one for the client.
  expect(written).toBeLessThan(3 * 2 * (seconds + 3) + (QUOTA / 2) * Math.ceil(seconds / WINDOW_S));
  // Processes that do not know of each other would be wrong by a third of it.
  expect(mean).toBeLessThan(QUOTA / 5);
  for (const { status, r, t, at, retryAfter } of hits) {
    expect(Math.abs(WINDOW_S - at / 1000 - t)).toBeLessThan(1.5);
    if (status === 429) expect([r, Math.abs(retryAfter - t) <= 1]).toEqual([0, true]);
  }
}

/** It ends up at one process. */
async function serveOneConnection({ processes }: Sites): Promise<void> {
  const headers = await newKey();
  const all = await hammer(`${processes[1]?.url}/api/online`, headers, { perSecond: 100, seconds: 1 });
  const hits = withinWindow(all);
  expect(countOf(hits, 200)).toBeGreaterThanOrEqual(QUOTA * 0.95);
  expect(countOf(hits, 200)).toBeLessThanOrEqual(QUOTA * 1.05);
}

/** One is killed: the quota stays used, and the next window is whole. */
async function goOnWithoutOne({ url, processes }: Sites): Promise<void> {
  const headers = await newKey();
  const half = await hammer(`${url}/api/online`, headers, { perSecond: 50, seconds: QUOTA / 2 / 50 });
  await delay(1_200);
  processes[0]?.process.child.kill("SIGKILL");
  const perSecond = Math.max(TEN_TIMES, QUOTA);
  const rest = await hammer(`${url}/api/online`, headers, { perSecond, seconds: 1 });
  const answered = countOf(half, 200) + countOf(rest, 200);
  expect(answered).toBeLessThanOrEqual(QUOTA * 1.05);
  expect(answered).toBeGreaterThan(QUOTA * 0.8);

  const last = rest.findLast(({ status }) => status === 429);
  await delay((last?.retryAfter ?? 0) * 1000);
  const next = await hammer(`${url}/api/online`, headers, { perSecond: 20, seconds: 1 });
  expect(countOf(next, 200)).toBe(next.length);
}

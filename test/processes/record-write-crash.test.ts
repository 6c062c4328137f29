import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { freePort } from "../helpers/free-port.ts";
import { untilReady } from "../helpers/sites.ts";
import { startWorker, type WorkerProcess } from "../helpers/worker.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const database = useTestDatabase();

/** WRITE_TEST_PUTS=2000 WRITE_TEST_RECORDS=200 tries more. */
const PUTS = Number(process.env.WRITE_TEST_PUTS ?? "100");
const RECORDS = Number(process.env.WRITE_TEST_RECORDS ?? "10");
/** Once so many are answered, the site is killed. */
const KILLED_AFTER = Math.floor(PUTS / 4);

interface Put {
  readonly id: string;
  readonly name: string;
  readonly idempotencyKey: string;
}

/** Each record is written several times, each time by another name. */
const puts: Put[] = Array.from({ length: PUTS }, (_, n) => ({
  id: `r${n % RECORDS}`,
  name: `Writ ${n}`,
  idempotencyKey: randomUUID(),
}));

interface Answered {
  readonly status: number;
  readonly text: string;
}

function startSite(port: number): WorkerProcess {
  const limits = { API_KEY_LIMIT: "0", API_ADDRESS_LIMIT: "0", PAGE_LIMIT: "0" };
  const env = { DATABASE_URL: database.url, PORT: String(port), POLL: "0", WORKER: "0", LOG_LEVEL: "warn" };
  return startWorker({ ...env, ...limits }, "serve");
}

/** A feed with all its older pages (RFC 5005). */
async function wholeFeed(address: string): Promise<string> {
  const text = await (await fetch(address)).text();
  const next = /<atom:link href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  return next === undefined ? text : text + (await wholeFeed(next));
}

describe("kill -9 of the site amid concurrent PUTs", { timeout: 600_000 }, () => {
  it("loses nothing that was acknowledged, and no repeat takes effect twice", async () => {
    const { db } = database;
    const userId = Number(await createUser(db, { name: "writer", password: "a long enough password" }));
    const { key } = await addWriteKey(db, userId);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const send = async ({ id, name, idempotencyKey }: Put): Promise<Answered> => {
      const headers = {
        "X-API-Key": key,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      };
      const body = JSON.stringify({ name });
      const answer = await fetch(`${url}/api/items/${id}`, { method: "PUT", headers, body });
      return { status: answer.status, text: await answer.text() };
    };

    // A busy site may end a connection that it was about to use.
    const sendAgain = (put: Put, tries = 10): Promise<Answered> =>
      send(put).catch((error: unknown) => {
        if (tries === 1) throw error;
        return sendAgain(put, tries - 1);
      });

    const first = startSite(port);
    await untilReady(url);
    const acknowledged = new Map<Put, Answered>();
    const began = performance.now();
    const results = await Promise.all(
      puts.map((put) =>
        send(put).then(
          (answer) => {
            acknowledged.set(put, answer);
            if (acknowledged.size === KILLED_AFTER) first.child.kill("SIGKILL");
            return true;
          },
          () => false,
        ),
      ),
    );
    await first.ended;
    const beforeKill = performance.now() - began;
    const unanswered = puts.filter((_, n) => !results[n]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(KILLED_AFTER);
    expect(unanswered.length).toBeGreaterThan(0);
    for (const { status } of acknowledged.values())
      expect([200, 201], first.lines.join("\n")).toContain(status);
    // Writes with a lost answer took effect or did not.
    const kept = await db("write_answers").whereNotNull("answer").pluck("idempotency_key");
    for (const { idempotencyKey } of acknowledged.keys()) expect(kept).toContain(idempotencyKey);

    const second = startSite(port);
    await untilReady(url);
    const again = performance.now();
    const repeated = await Promise.all(unanswered.map(sendAgain));
    const afterKill = performance.now() - again;
    for (const { status } of repeated) expect([200, 201], second.lines.join("\n")).toContain(status);
    for (const [place, put] of unanswered.entries())
      if (repeated[place]) acknowledged.set(put, repeated[place]);

    // A repeated acknowledged write gets the same, byte by byte.
    const some = puts.filter((_, n) => n % Math.ceil(PUTS / 40) === 0);
    for (const put of some) expect(await send(put)).toEqual(acknowledged.get(put));

    const rows: { id: string; name: string; revision: number }[] = await db("items")
      .whereLike("id", "r%")
      .select("id", "name", "revision");
    expect(rows).toHaveLength(RECORDS);
    expect(rows.reduce((sum, { revision }) => sum + revision, 0)).toBe(PUTS);
    // Each content is in the history once, the last one in the record.
    const history: { id: string; name: string }[] = await db("catalogue_revisions")
      .where({ kind: "items" })
      .select("entry_id as id", db.raw("before->>'name' as name"));
    const written = [...rows, ...history].map(({ id, name }) => `${id} ${name}`).sort();
    expect(written).toEqual(puts.map(({ id, name }) => `${id} ${name}`).sort());

    const headers = { "X-API-Key": key };
    const { name } = rows[0] ?? { name: "" };
    const search = async () => {
      const answer = await fetch(`${url}/api/items/search?q=${encodeURIComponent(name)}`, { headers });
      const { results } = (await answer.json()) as { results: { name: string }[] };
      return results;
    };
    await expect.poll(async () => (await search())[0]?.name, { timeout: 60_000 }).toBe(name);
    const feed = await wholeFeed(`${url}/items.rss`);
    for (const row of rows) expect(feed).toContain(`${row.name}</title>`);
    process.stdout.write(
      `${PUTS} PUTs of ${RECORDS} records: ${PUTS - unanswered.length} acknowledged in ${Math.round(beforeKill)} ms, ` +
        `then kill -9; ${unanswered.length} sent again in ${Math.round(afterKill)} ms ` +
        `(${kept.length - (PUTS - unanswered.length)} of them had been written); ${written.length} contents, each once\n`,
    );
  });
});

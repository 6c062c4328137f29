import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { forgetOldChanges } from "../../src/exchange/sync/changes-queries.ts";
import { createDraw } from "../../src/nicknames/random.ts";
import { useTestApp } from "../helpers/app.ts";

/*
 * Imports, prunes and roll-backs, at random but the same for the same seed: MIRROR_ROUNDS=1000 MIRROR_SEED=another.
 */
const ROUNDS = Number(process.env.MIRROR_ROUNDS ?? 30);
const SEED = process.env.MIRROR_SEED ?? "mirror";
const RECIPE = path.join(import.meta.dirname, "../../docs/recipes/mirror.py");
/** One request in so many is refused, beginning with the third. */
const REFUSED = 25;

const front = createServer();
await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
const site = useTestApp({ baseUrl });

/** All answers. */
const asked: { url: string; status: number }[] = [];
let folder: string;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-mirror-"));
  key = String(await createKey(site.db, (await site.createUser()).id, { name: "a key", expiry: "never" }));
  front.on("request", (req, res) => {
    const { url = "" } = req;
    res.once("close", () => asked.push({ url, status: res.statusCode }));
    if (asked.length % REFUSED === 2) res.writeHead(429, { "Retry-After": "1" }).end();
    else site.app(req, res);
  });
});

afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await rm(folder, { recursive: true, force: true });
});

const run = promisify(execFile);

const copy = async (file: string, kind = "items", env: Record<string, string> = {}) =>
  run("python3", [RECIPE, baseUrl, kind, path.join(folder, file)], {
    env: { ...process.env, ALMANAC_KEY: key, ...env },
  });

/** The records of a copy by id. */
async function readCopy(file: string): Promise<unknown[]> {
  const script =
    "import sqlite3, sys; [sys.stdout.write(r + '\\n') for (r,) in sqlite3.connect(sys.argv[1]).execute('select record from records order by id')]";
  const { stdout } = await run("python3", ["-X", "utf8", "-c", script, path.join(folder, file)], {
    maxBuffer: 100 << 20,
  });
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The records as the site says that they are. */
async function readSite(): Promise<unknown[]> {
  const answer = await fetch(`${baseUrl}/api/items.ndjson.gz`, { headers: { "X-API-Key": key } });
  const file = Buffer.from(await answer.arrayBuffer());
  return gunzipSync(file)
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("docs/recipes/mirror.py", () => {
  it("is short", async () => {
    const { stdout } = await run("wc", ["-l", RECIPE]);
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(60);
  });

  it(`has what the site has after ${ROUNDS} imports, prunes and roll-backs`, {
    timeout: ROUNDS * 10_000,
  }, async ({ annotate }) => {
    const rounds = new Rounds(SEED);
    for (let n = 0; n < ROUNDS; n++) await rounds.next();
    await rounds.ended();
    // The rounds may have led to neither 410 nor 304: the first copy now gets a 410, the third a 304.
    await rounds.outdate();
    for (let n = 0; n < 3; n++) await copy("items.db");
    expect([...new Set(asked.map(({ status }) => status))].toSorted()).toEqual([200, 304, 410, 429]);
    asked.length = 0;
    await copy("items.db");
    expect(asked).toEqual([{ url: expect.stringContaining("/api/items/changes?since="), status: 304 }]);
    const [copied, expected] = [await readCopy("items.db"), await readSite()];
    expect(copied.map((record) => JSON.stringify(record))).toEqual(
      expected.map((record) => JSON.stringify(record)),
    );
    const there = new Set(expected.map((record) => (record as { id: string }).id));
    const removed = [...rounds.ids].filter((id) => !there.has(id));
    await annotate(`${expected.length} records, ${removed.length} removed, ${JSON.stringify(rounds.counts)}`);
    expect(removed.length).toBeGreaterThan(10);
  });
});

/** What happens to the site and to the copy, one thing after the other and some at the same time. */
class Rounds {
  /** Every id that was ever there. */
  readonly ids = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly #draw: ReturnType<typeof createDraw>;
  #copying: Promise<unknown> | undefined;

  constructor(seed: string) {
    this.#draw = createDraw(seed);
  }

  async next(): Promise<void> {
    const ways = [
      "take",
      "take",
      "huge",
      "prune",
      "bring",
      "undo",
      "refuse",
      "two",
      "remove",
      "forget",
    ] as const;
    const way = ways[this.#draw(ways.length)] ?? "take";
    this.counts[way] = (this.counts[way] ?? 0) + 1;
    // Some of it while the copy is being brought up to date.
    if (this.#draw(3) === 0) this.#copying ??= copy("items.db");
    if (way === "forget") await this.ended();
    await this.#do[way]();
    if (this.#draw(2) === 0) await this.ended();
  }

  /** Changes the site, and forgets most of what has changed. */
  async outdate(): Promise<void> {
    await this.#take(this.#records(20));
    await forgetOldChanges(site.db, { days: 30, ids: 1, versions: 19_000 });
  }

  async ended(): Promise<void> {
    await this.#copying;
    this.#copying = undefined;
  }

  readonly #do = {
    take: () => this.#take(this.#records(1 + this.#draw(30))),
    huge: () => this.#take(this.#records(this.#draw(8) === 0 ? 1500 : 300)),
    prune: async () => {
      const kept = await this.#some(5 + this.#draw(60));
      await this.#take([...kept.map((id) => this.#record(id)), ...this.#records(3)], {
        prune: true,
        force: true,
      });
    },
    bring: async () => {
      const removed: string[] = await site
        .db("catalogue_tombstones")
        .where({ kind: "items" })
        .limit(200)
        .pluck("id");
      await this.#take(removed.filter(() => this.#draw(3) === 0).map((id) => this.#record(id)));
    },
    undo: async () => {
      const transaction = await site.db.transaction();
      const rest = { prune: this.#draw(2) === 0, force: true };
      await importRecords(transaction, "items", this.#records(20), rest);
      await transaction.rollback();
    },
    refuse: async () => {
      const records = [...this.#records(5), { id: "", name: "no id" }];
      await expect(importRecords(site.db, "items", records, { prune: true, force: true })).rejects.toThrow(
        ImportRefusedError,
      );
    },
    two: async () => {
      const [one, other] = [this.#records(20), this.#records(20)];
      await Promise.all([this.#take(one), this.#take(other), this.#do.remove()]);
    },
    remove: async () => {
      await site
        .db("items")
        .whereIn("id", await this.#some(this.#draw(6)))
        .delete();
    },
    forget: () => forgetOldChanges(site.db, { days: 30, ids: 1 + this.#draw(400), versions: 19_000 }),
  };

  async #take(records: { id: string }[], options: { prune?: boolean; force?: boolean } = {}): Promise<void> {
    if (records.length === 0) return;
    for (const { id } of records) this.ids.add(id);
    const byId = new Map(records.map((record) => [record.id, record]));
    await importRecords(site.db, "items", byId.values(), options);
  }

  async #some(count: number): Promise<string[]> {
    const ids: string[] = await site.db("items").orderBy("id").pluck("id");
    return Array.from(
      { length: Math.min(count, ids.length) },
      () => ids[this.#draw(ids.length)] ?? "",
    ).filter((id, place, all) => all.indexOf(id) === place);
  }

  #records(count: number): { id: string; name: string }[] {
    const ids = Array.from({ length: count }, () => `${this.#draw(count > 100 ? 4000 : 300)}`);
    return [...new Set(ids)].map((id) => this.#record(id));
  }

  #record(id: string) {
    const pick = <Value>(values: readonly Value[]) => values[this.#draw(values.length)] as Value;
    const name = `${pick(["Gun", "Меч", "Été 🗡", "a\u2028b", '"quoted"', "</script>"])} ${this.#draw(4)}`;
    return {
      id,
      name,
      names: pick([{}, { ru: `Имя ${this.#draw(3)}` }]),
      category: pick([null, "Weapons", "Оружие"]),
      description: pick([null, "One\r\n\ttwo", "x".repeat(3000)]),
      popularity: pick([null, 0, 0.1, 12.5, 3e-7]),
      attributes: pick([
        {},
        { price: pick([1, 1.5, 1e21, 1e-7, -0.25, 9007199254740991]) },
        { tags: ["a", 1, true, null], deep: { er: [{}] }, x: this.#draw(9), y: 2 },
      ]),
    };
  }
}

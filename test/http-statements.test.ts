import { readFileSync, writeFileSync } from "node:fs";
import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { KnownKeys } from "../src/api-keys/known-keys.ts";
import { createKey } from "../src/api-keys/queries.ts";
import { createApp } from "../src/app.ts";
import { buildAssets } from "../src/assets/build.ts";
import { DataVersions } from "../src/db/data-versions.ts";
import { loadDemo } from "../src/demo/load.ts";
import { BUILT_IN_KINDS, kindsWith } from "../src/kinds/kinds.ts";
import { makeDump } from "../src/mirror/make-dump.ts";
import { paths } from "../src/urls.ts";
import { LiveVocabulary } from "../src/vocabulary/live.ts";
import { TEST_CONFIG, useTestApp } from "./helpers/app.ts";
import { PAGE_TYPES } from "./helpers/page-types.ts";
import { createTestSearch } from "./helpers/search.ts";
import { type Cost, useStatementCount } from "./helpers/statements.ts";

/*
 * How many statements each GET costs, held in docs/performance.md. After a change that is meant, write them anew:
 *
 *   UPDATE_STATEMENTS=1 npm test -- test/http-statements.test.ts
 */
const PAGE = new URL("../docs/performance.md", import.meta.url);
const HEADING = "## Statements per request";

const LEAD = `
What a GET asks of the database, over the demo data: statements, and in brackets round trips where they are fewer
(statements that run at the same time count as one round trip; it is the longest chain of statements each of which began
after the one before it was answered). First when the path is asked for the first time in a process, then, after the
arrow, when it is asked for once more after three times. \`test/http-statements.test.ts\` measures this table and fails where it is wrong; its
head says how to write it anew. The BEGIN of a snapshot counts; its COMMIT, for which no answer waits, opening a
connection, and what runs in the background do not.

The first time takes a visitor two round trips at most, except: the first list of a kind after a change, which finds what
the kind can be filtered by, for all processes; a list that is searched and filtered, or that the API filters by an
attribute (3); the first search of the shop
after a change, which loads its names; the sitemap, which is read in parts. A user's session is one round trip more,
and the favorites on the page are another.
`;

const site = useTestApp();
const count = useStatementCount();

/** Who asks, by the column's name, and what they send. */
type Asker = "visitor" | "key" | "logged in";
const COLUMNS: readonly Asker[] = ["visitor", "key", "logged in"];

interface Asked {
  readonly path: string;
  readonly askers: readonly Asker[];
}

const API = [
  "/api/search?q=gold",
  "/api/items/search?q=gold",
  "/api/vehicles/search?q=inf",
  "/api/scripts/search?q=car",
  "/api/relations?kind=item&id=weapon-24",
  "/api/items/weapon-24",
  "/api/items?ids=weapon-24,weapon-31",
  "/api/items?category=Firearms&limit=5",
  "/api/items?a.slot=2&sort=newest",
  "/api/items.csv",
  "/api/servers",
  "/api/donate-items",
  "/api/discounts",
  "/api/servers/ls-one",
  "/api/donate-items/vip-gold",
  "/api/vehicles/changes?since=0",
  "/api/vehicles.ndjson.gz",
  "/api/online",
  "/api/data",
  "/api/data?range=7d&server_id=ls-one",
  "/api/nickname-generator?seed=a",
  "/api/nickname-generator",
];

const FOR_MACHINES = [
  ...kindsWith("hasFeed").map((kind) => paths.feed(kind)),
  paths.feed("items", "atom"),
  paths.feed("items", "json", { category: "Firearms" }),
  paths.discountsFeed(),
  paths.sitemap(),
  paths.robots(),
  paths.openSearch(),
  `${paths.searchSuggestions()}?q=gold`,
  paths.openapi(),
  ...kindsWith("isPlaced").map((kind) => `${paths.mapPoints(kind)}?bounds=-3000,-3000,3000,3000`),
  `${paths.server("ls-one")}/history.csv`,
  "/manifest.webmanifest",
  paths.entryCard("items", "weapon-24"),
  paths.cardScript(),
  "/service-worker.js",
  "/healthz",
];

const askedPages = PAGE_TYPES.map(({ path, reader }) =>
  reader === "visitor" ? asked(path, "visitor", "logged in") : asked(path, "logged in"),
);

const ASKED = [
  ...askedPages,
  asked("/profile/keys", "logged in"),
  asked("/session", "visitor", "logged in"),
  ...FOR_MACHINES.map((path) => asked(path, "visitor")),
  ...API.map((path) => asked(path, ...COLUMNS)),
].filter(({ path }, place, all) => all.findIndex((other) => other.path === path) === place);

function asked(path: string, ...askers: Asker[]): Asked {
  return { path, askers };
}

/** What a GET may write, and why. */
const WRITTEN: Readonly<Record<string, string>> = {
  catalogue_facets: "once for each version of a kind, by the first who asks, for all processes",
  settings: "once in the life of a site: the keys of its push messages",
  sessions: "a message that is shown once, left for the next page and taken there",
};

/** What takes a visitor more than two round trips for the first time, and why. */
const LONGER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    BUILT_IN_KINDS.map((kind) => [paths.catalogue(kind), "finds once per version what to filter by"]),
  ),
  "/api/items?a.slot=2&sort=newest": "asks what there is to filter by, counts, then lists",
  "/items?q=a&category=Firearms": "asks what there is to filter by, counts, then lists",
  "/donate?q=qqqqqqqq&sale=1": "loads the names of the shop once per version",
  "/sitemap.xml": "is read in parts, so that it fits in memory",
};

let measured: Map<string, string>;
const writes: string[] = [];

beforeAll(async () => {
  // What is looked at again after some seconds is not to be so at random here.
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() });
  try {
    await site.db.transaction(async (transaction) => {
      await loadDemo(transaction);
      const words = { baseUrl: TEST_CONFIG.baseUrl, vocabulary: new LiveVocabulary().of({ demo: true }) };
      await makeDump(transaction, "vehicles", { site: words }, new AbortController().signal);
    });
    const cells = new Map<Asker, Map<string, string>>();
    for (const asker of COLUMNS) cells.set(asker, await measure(asker));
    measured = new Map(
      ASKED.map(({ path }) => [path, COLUMNS.map((asker) => cells.get(asker)?.get(path) ?? "").join(" | ")]),
    );
  } finally {
    vi.useRealTimers();
  }
});

/** The costs of all paths that somebody asks for, in a process that has just started. */
async function measure(asker: Asker): Promise<Map<string, string>> {
  const { db } = site;
  const log = pino({ level: "silent" });
  const url = db.client.connectionSettings.connectionString;
  const search = createTestSearch({ db, url }, { checkEachSearch: false });
  const keys = new KnownKeys({ db, log, maxAgeMs: 3_600_000 });
  const versions = new DataVersions({ db, log, maxAgeMs: 3_600_000 });
  await versions.confirm();
  const app = createApp({
    assets: await buildAssets(),
    config: TEST_CONFIG,
    db,
    keys,
    log,
    search,
    versions,
    readersMaxAgeMs: 3_600_000,
  });
  const agent = request.agent(app);
  const user = await site.createUser({ role: "operator" });
  const key = String(await createKey(db, user.id, { name: "a key", expiry: "never" }));
  await search.refresh();
  // So that none waits for its connection.
  await Promise.all(Array.from({ length: 10 }, () => db.raw("select pg_sleep(0.1)")));
  await agent.get("/docs/errors").expect(200);
  if (asker === "key") agent.set("X-API-Key", key);
  if (asker === "logged in") {
    const { name, password } = user;
    await agent.post("/login").type("form").send({ name, password }).expect(303);
    await agent.get("/profile").expect(200);
  }
  const costs = new Map<string, string>();
  for (const { path, askers } of ASKED) {
    if (!askers.includes(asker)) continue;
    const ask = async () => {
      const { status } = await agent.get(path).redirects(0);
      // A refused request would say nothing of what the path costs.
      expect([path, status]).not.toEqual([path, expect.toSatisfy((code) => code === 401 || code >= 500)]);
    };
    const cold = await count.costOf(ask);
    // What somebody asks for a second time is remembered from then on; then a reader's favorites on it are, too.
    for (let n = 0; n < 2; n++) await ask();
    const hot = await count.costOf(ask);
    costs.set(path, `${textOf(cold)} → ${textOf(hot)}`);
    for (const table of [...cold.written, ...hot.written]) writes.push(`${path} writes to ${table}`);
  }
  await search.close();
  return costs;
}

function textOf({ statements, roundTrips }: Cost): string {
  return roundTrips === statements ? `${statements}` : `${statements} (${roundTrips})`;
}

/** The section as it is measured, from its heading on. */
function sectionOf(costs: Map<string, string>): string {
  const head = `| path | ${COLUMNS.join(" | ")} |\n|---|${COLUMNS.map(() => "---|").join("")}`;
  const rows = [...costs].map(([path, cells]) => `| \`${path}\` | ${cells} |`);
  return `${HEADING}\n${LEAD}\n${head}\n${rows.join("\n")}\n`;
}

/** The page of documentation, cut before and after the section. */
function readPage(): { before: string; section: string; after: string } {
  const text = readFileSync(PAGE, "utf8");
  const start = text.indexOf(HEADING);
  if (start < 0) return { before: `${text.trimEnd()}\n\n`, section: "", after: "" };
  const next = text.indexOf("\n## ", start);
  const end = next < 0 ? text.length : next;
  return { before: text.slice(0, start), section: text.slice(start, end), after: text.slice(end) };
}

describe("the statements of a request", () => {
  it("are as many as docs/performance.md says for each path", () => {
    const { before, section, after } = readPage();
    const current = sectionOf(measured);
    if (process.env.UPDATE_STATEMENTS) writeFileSync(PAGE, before + current + after);
    else expect(current.trimEnd().split("\n")).toEqual(section.trimEnd().split("\n"));
  });

  it("take a visitor two round trips at most, but for a few that are known", () => {
    const cold = [...measured].map(([path, cells]) => [path, /^\d+(?: \((\d+)\))? →/.exec(cells)] as const);
    const long = cold.filter(([, match]) => match && Number(match[1] ?? match[0].split(" ")[0]) > 2);
    expect(long.map(([path]) => path).sort()).toEqual(Object.keys(LONGER).sort());
  });

  it("write nothing, but for a few that are known", () => {
    const known = Object.keys(WRITTEN).map((table) => `to ${table}`);
    expect(writes.filter((line) => !known.some((end) => line.endsWith(end)))).toEqual([]);
  });
});

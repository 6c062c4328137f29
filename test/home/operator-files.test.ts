import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { findKindMistakes } from "../../src/db/own-kinds.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useCli } from "../helpers/cli.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { captureLog } from "../helpers/log.ts";
import { startSite } from "../helpers/sites.ts";
import { startWorker } from "../helpers/worker.ts";

const database = useTestDatabase();
const cli = useCli();
const LOGIN = { name: "starter", password: "a password of an operator" };

let folder: string;
let file: string;
let lastGood: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-start-"));
  file = path.join(folder, "site.json");
  lastGood = path.join(folder, "site.last-good.json");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const GOOD = '{ "attributes": { "damage": { "label": "Harm" } } }';
const NAMES = { one: "Member", many: "Members" };
/** The database has a table of that name. */
const USERS = JSON.stringify({ kinds: { users: { one: "member", name: NAMES } } });

/** What is wrong with a file, and how the start finds that out. */
const BAD: [what: string, content: string | Buffer, mistake: RegExp][] = [
  ["no JSON", "{ broken", /site\.json, line 1: is not JSON/],
  ["an unknown name", '{ "kind": {} }', /site\.json, line 1: "kind" is not known here/],
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), /site\.json, line 1: is UTF-16/],
  ["6 MB", " ".repeat(6 * 1024 * 1024), /has 6 MB/],
  ["a kind that the database cannot hold", USERS, /line 1: kinds\.users: the database has a table/],
];

/** As `serve` and `worker` make it. */
function open() {
  const sink = captureLog();
  const vocabulary = new LiveVocabulary({
    ...{ file, lastGood, log: sink.log },
    findKindMistakes: (kinds) => findKindMistakes(database.db, kinds),
  });
  return { ...sink, vocabulary };
}

async function start() {
  const opened = open();
  await opened.vocabulary.confirm();
  return opened;
}

const labelIn = (vocabulary: LiveVocabulary) =>
  vocabulary.of({ withDefaults: false }).of("items").label("damage", "en");

describe("a start with a vocabulary that has mistakes", () => {
  it.each(BAD)("goes on with the last good one, and says so: %s", async (_, content, mistake) => {
    await writeFile(file, GOOD);
    expect((await start()).vocabulary.mistakes).toEqual([]);
    await writeFile(file, content);
    const { vocabulary, lines } = await start();
    expect(labelIn(vocabulary)).toBe("Harm");
    expect(vocabulary.mistakes.join("\n")).toMatch(mistake);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 50, file, lastGood, mistakes: vocabulary.mistakes }),
    );
    expect(await readFile(lastGood, "utf8")).toBe(GOOD);

    await writeFile(file, GOOD.replace("Harm", "Hurt"));
    await vocabulary.noticeChange();
    expect(labelIn(vocabulary)).toBe("Hurt");
    expect(vocabulary.mistakes).toEqual([]);
    expect(await readFile(lastGood, "utf8")).toContain("Hurt");
  });

  it.each(BAD)("ends where there has been no good one: %s", async (_, content, mistake) => {
    await writeFile(file, content);
    await expect(start()).rejects.toThrow(mistake);
    await writeFile(lastGood, '{ "no": "good" }');
    await expect(start()).rejects.toThrow(mistake);
    await writeFile(lastGood, USERS);
    await expect(start()).rejects.toThrow("site.json");
  });

  it("goes on where a file is gone that a setting names", async () => {
    await writeFile(file, GOOD);
    await start();
    await rm(file);
    const vocabulary = new LiveVocabulary({ file, lastGood, isRequired: true });
    expect(labelIn(vocabulary)).toBe("Harm");
    expect(vocabulary.mistakes).toEqual([`SITE_SCHEMA: there is no file ${file}`]);
  });
});

describe("a running site", () => {
  it.each(BAD)(
    "keeps the words and the copy from before a change by hand: %s",
    async (_, content, mistake) => {
      await writeFile(file, GOOD);
      const { vocabulary } = await start();
      await writeFile(file, content);
      await vocabulary.noticeChange();
      expect(labelIn(vocabulary)).toBe("Harm");
      expect(vocabulary.mistakes.join("\n")).toMatch(mistake);
      expect(await readFile(lastGood, "utf8")).toBe(GOOD);
    },
  );

  it("keeps the copy while an editor replaces the file", async () => {
    await writeFile(file, GOOD);
    const { vocabulary } = await start();
    await rm(file);
    await vocabulary.noticeChange();
    expect(await readFile(lastGood, "utf8")).toBe(GOOD);
  });
});

it.each(["", "short\n"])(
  "does not start with a secret that was cut off, names its file, and leaves the database: %j",
  async (rest) => {
    const name = new URL(database.url).pathname.slice(1);
    const secret = path.join(folder, "secrets", "session-secret");
    await mkdir(path.dirname(secret));
    await writeFile(secret, rest);
    const env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: "0" };
    expect(await cli.run(env, "serve")).toBe(1);
    expect(cli.err).toContain(
      `almanac: ${secret} has ${rest.trim().length} characters and should have at least 32`,
    );
    expect(await readFile(secret, "utf8")).toBe(rest);
    // An idle connection would keep the process for half a minute, an embedded Postgres for ever.
    const open = () => database.db("pg_stat_activity").where({ application_name: "almanac", datname: name });
    await expect.poll(open, { timeout: 15_000 }).toEqual([]);
  },
);

it("the processes of a site start with the last good vocabulary, and the operators' page says so", {
  timeout: 180_000,
}, async () => {
  await createUser(database.db, { ...LOGIN, role: "operator" });
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, POLL: "0", WORKER: "0" };
  await writeFile(file, GOOD);
  await start();
  await writeFile(file, USERS);
  const [{ url, process }, worker] = await Promise.all([startSite(env), startWorker(env)]);
  await expect.poll(() => worker.lines.join("\n"), { timeout: 60_000 }).toContain("Working");
  for (const { lines } of [process, worker]) {
    expect(lines.join("\n")).toContain("the vocabulary has mistakes; the last good one is used");
    expect(lines.join("\n")).toContain("kinds.users: the database has a table of that name");
  }
  const { headers } = await fetch(`${url}/login`, {
    method: "POST",
    body: new URLSearchParams(LOGIN),
    redirect: "manual",
  });
  const cookie = headers.getSetCookie().map((each) => each.split(";")[0]);
  const page = await fetch(`${url}/en/operator`, { headers: { Cookie: cookie.join("; ") } });
  expect(textOf(mainOf(await page.text()))).toContain(
    `The file ${file} has errors, so the site uses the last version without any. Vocabulary`,
  );
});

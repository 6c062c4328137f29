import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Knex } from "knex";
import { describe, expect, it } from "vitest";
import { createTestDatabase, useTestDatabase } from "./helpers/database.ts";
import { shapeOf } from "./helpers/statement-shapes.ts";

/*
 * While processes are replaced, those of the last release work on the schema of this one. So everything that they ask must
 * still be understood: no migration drops or renames what the last release asks for. test/releases/<version>.json.gz has what
 * its tests made it ask. With a new release, record it:
 *
 *   RECORD_STATEMENTS=/tmp/statements npm test
 *   RECORD_STATEMENTS=/tmp/statements RELEASE=0.2.0 npm test -- test/release-statements.test.ts
 *
 * and delete the file of the release before the last.
 */
const FOLDER = path.join(import.meta.dirname, "releases");

/** What Postgres can prepare. */
const PREPARABLE = /^\s*(?:select|insert|update|delete|with|merge|values)\b/i;

/** Why the schema does not understand a statement; undefined: it does. */
async function faultOf(db: Knex, statement: string): Promise<string | undefined> {
  return db
    .transaction(async (transaction) => {
      // Knex would take the question mark of an operator for a value.
      await transaction.raw(`prepare asked as ${statement}`.replaceAll("?", "\\?"));
      await transaction.raw("deallocate asked");
    })
    .then(
      () => undefined,
      (error: Error) => error.message.split(" - ").at(-1),
    );
}

async function faultsOf(db: Knex, statements: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const statement of statements) {
    const fault = await faultOf(db, statement);
    if (fault !== undefined) faults.push(`${fault}: ${statement.slice(0, 200)}`);
  }
  return faults;
}

/** Longer ones are lists of values. */
const LONGEST = 8_000;

const SUFFIX = ".json.gz";
const releases = readdirSync(FOLDER).map((file) => file.slice(0, -SUFFIX.length));
const fileOf = (release: string) => path.join(FOLDER, release + SUFFIX);
const statementsOf = (release: string): string[] =>
  JSON.parse(String(gunzipSync(readFileSync(fileOf(release)))));

/** Of all that was recorded, each shape once, what the schema understands: tests ask for tables of their own, too. */
async function record(db: Knex, folder: string, release: string): Promise<void> {
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), "utf8").split("\n").filter(Boolean),
  );
  const byShape = new Map<string, string>();
  for (const text of lines.map((line) => String(JSON.parse(line)))) {
    const shape = shapeOf(text);
    const known = byShape.get(shape);
    if (
      PREPARABLE.test(text) &&
      text.length <= LONGEST &&
      (known === undefined || text.length < known.length)
    )
      byShape.set(shape, text);
  }
  const understood: string[] = [];
  for (const text of [...byShape.values()].sort())
    if ((await faultOf(db, text)) === undefined) understood.push(text);
  writeFileSync(fileOf(release), gzipSync(JSON.stringify(understood), { level: 9 }));
}

const { RECORD_STATEMENTS: folder, RELEASE: recorded } = process.env;
if (folder && recorded && existsSync(folder)) {
  const database = useTestDatabase();
  it("records a release", () => record(database.db, folder, recorded), 300_000);
}

describe.each(releases)("what the release %s asks", (release) => {
  it("is understood by the schema of today", async () => {
    const { db, drop } = await createTestDatabase();
    expect(await faultsOf(db, statementsOf(release)).finally(drop)).toEqual([]);
  });

  it("would be missed where a column has another name", async () => {
    const { db, drop } = await createTestDatabase();
    await db.raw("alter table donate_items rename column currency to money");
    const faults = await faultsOf(db, statementsOf(release)).finally(drop);
    expect(faults.filter((fault) => /column .*currency.* does not exist/.test(fault))).not.toEqual([]);
  });
});

import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { shapeOf, statementText } from "./statement-shapes.ts";

/*
 * RECORD_STATEMENTS=<folder> npm test: every statement that the tests make this version ask, each shape once, one a line as
 * JSON. test/release-statements.test.ts says what for.
 */
const folder = process.env.RECORD_STATEMENTS;

if (folder) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}.jsonl`);
  const known = new Set<string>();
  const query = pg.Client.prototype.query as unknown as (this: pg.Client, ...given: unknown[]) => unknown;
  const recorded = function (this: pg.Client, ...given: unknown[]): unknown {
    const text = statementText(given[0]);
    const shape = shapeOf(text);
    if (!known.has(shape)) {
      known.add(shape);
      appendFileSync(file, `${JSON.stringify(text)}\n`);
    }
    return query.apply(this, given);
  };
  Reflect.set(pg.Client.prototype, "query", recorded);
}

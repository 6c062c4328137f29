import { hash } from "node:crypto";
import type { Request } from "express";
import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { isDatabaseAway } from "../db/failures.ts";
import { selectRows } from "../db/rows.ts";
import { snapshotFor } from "../http/answer-build.ts";
import type { ExampleCalls } from "../http/openapi-examples.ts";
import type { ReadExamples } from "../http/openapi-route.ts";
import { operationName } from "../http/operation-names.ts";
import type { Site } from "../http/page.ts";
import { catalogueKinds } from "../kinds/kinds.ts";
import { type ExampleSite, makeExampleCalls } from "./example-calls.ts";
import { type ExampleRecords, readExampleRecords } from "./example-values.ts";

const KEY = "api_examples";
const LOCK = "almanac api examples";
/** Examples are renewed after so long, as the records that they show change meanwhile. */
const RENEWED_AFTER = "1 day";

/** What is kept, the same for all processes. */
interface KeptExamples {
  /** A hash of what says which examples there are. */
  readonly madeOf: string;
  /** As text: jsonb would not keep the order of the fields. */
  readonly calls: string;
}

/**
 * Makes the examples of the API's document where there are none, where they are a day old, and where they are of other
 * records or operations than they would be now, or show what the operator hides by now. One process does it for all, and
 * not before its searches can answer.
 */
export async function keepExamples(db: Knex, example: ExampleSite): Promise<void> {
  const { search } = example.shared;
  if (!Object.values(search.ready).every(Boolean)) return;
  await db.transaction(async (transaction) => {
    const [lock] = await selectRows<{ isMine: boolean }>(
      transaction,
      'select pg_try_advisory_xact_lock(hashtext(?)) as "isMine"',
      [LOCK],
    );
    if (!lock?.isMine) return;
    const records = await readExampleRecords(transaction);
    const madeOf = hashOf(example, records, await example.readSite());
    if (await isCurrent(transaction, madeOf)) return;
    const calls = await makeExampleCalls(transaction, records, example);
    const value: KeptExamples = { madeOf, calls: JSON.stringify(calls) };
    await transaction("settings")
      .insert({ key: KEY, value: JSON.stringify(value), updated_at: transaction.fn.now() })
      .onConflict("key")
      .merge();
  });
}

async function isCurrent(db: Db, madeOf: string): Promise<boolean> {
  const found = await selectRows(
    db,
    `select from settings
      where key = ? and value->>'madeOf' = ? and updated_at > now() - interval '${RENEWED_AFTER}'`,
    [KEY, madeOf],
  );
  return found.length > 0;
}

function hashOf({ endpoints, shared }: ExampleSite, records: ExampleRecords, { vocabulary }: Site): string {
  const hidden = catalogueKinds().map((kind) => {
    const words = vocabulary.of(kind);
    return words.keys().filter((key) => words.isHidden(key));
  });
  const parts = [endpoints.map(operationName), shared.baseUrl, records, hidden];
  return hash("sha256", JSON.stringify(parts), "hex");
}

/** The kept examples; undefined while the database is away. They are read again only when they are others. */
export function readExamples(db: Knex): ReadExamples {
  let known: Awaited<ReturnType<ReadExamples>> = { version: "", calls: {} };
  return async (req: Request) => {
    try {
      const [row] = await selectRows<{ version: string; value: KeptExamples | null }>(
        await snapshotFor(req, db),
        `select updated_at::text as version, case when updated_at::text <> ? then value end as value
           from settings where key = ?`,
        [known?.version ?? "", KEY],
      );
      if (row?.value) known = { version: row.version, calls: JSON.parse(row.value.calls) as ExampleCalls };
      else if (!row) known = { version: "", calls: {} };
      return known;
    } catch (error) {
      if (isDatabaseAway(error)) return undefined;
      throw error;
    }
  };
}

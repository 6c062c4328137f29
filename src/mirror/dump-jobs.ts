import type { Knex } from "knex";
import { z } from "zod";
import { addJobs, type Tasks } from "../db/jobs.ts";
import { catalogueKinds } from "../kinds/kinds.ts";
import type { RecordReader } from "../record-api/record.ts";
import { listDumpStates, removeReplacedDumps } from "./dump-queries.ts";
import { isDumpDue, makeDueDump } from "./make-dump.ts";
import { shapeOf } from "./shape.ts";

/** What dumps are made with. */
export interface DumpSite {
  readonly db: Knex;
  /** How records are written now. */
  reader(): Promise<RecordReader>;
}

const payload = z.object({ kind: z.string() });

/** Adds a job for each kind that needs a new dump, and removes what was replaced. */
export async function addDumpJobs(site: DumpSite): Promise<void> {
  await removeReplacedDumps(site.db);
  const [reader, states] = await Promise.all([site.reader(), listDumpStates(site.db)]);
  const due = catalogueKinds().filter((kind) => {
    const state = states.find((each) => each.kind === kind);
    return state !== undefined && isDumpDue(state, shapeOf(kind, reader));
  });
  const jobs = due.map((kind) => ({
    task: "make_dump" as const,
    payload: { kind },
    key: `dump ${kind}`,
    queue: "dumps",
  }));
  await addJobs(site.db, jobs, { keepRunAt: true });
}

export function dumpTasks(site: DumpSite): Pick<Tasks, "make_dump"> {
  return {
    make_dump: async (given, { signal }) => {
      const { kind } = payload.parse(given);
      const known = catalogueKinds().find((each) => each === kind);
      // The vocabulary of this process may not have it yet, or not any more.
      if (known !== undefined) await makeDueDump(site.db, known, await site.reader(), signal);
    },
  };
}

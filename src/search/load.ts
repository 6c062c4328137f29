import type { Db } from "../db/connect.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { IndexBuilder, type IndexData } from "./index/build.ts";
import { readInRankOrder, readVersion } from "./queries.ts";

/** An index, and the version of the records that it was made of. */
export interface LoadedIndex {
  readonly version: number;
  readonly data: IndexData;
}

/** Makes the index of a kind from one state of its records, however they change meanwhile. */
export async function loadIndex(db: Db, kind: CatalogueKind): Promise<LoadedIndex> {
  return db.transaction(
    async (transaction) => {
      // Time limits for requests do not fit a million records, nor does the memory to sort a page of them.
      await transaction.raw("set local statement_timeout = 0; set local work_mem = '64MB'");
      const version = await readVersion(transaction, kind);
      const builder = new IndexBuilder();
      for await (const records of readInRankOrder(transaction, kind)) {
        for (const record of records) builder.add(record);
      }
      return { version, data: builder.finish() };
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

import type { Knex } from "knex";
import type { RecordReader } from "../record-api/record.ts";
import { hasDemoRecords } from "../records/demo-records.ts";
import type { LiveVocabulary } from "../vocabulary/live.ts";

interface ReaderSite {
  readonly db: Knex;
  readonly baseUrl: string;
  readonly vocabulary: LiveVocabulary;
}

/** How the background writes records: as the site's answers do. A worker follows no vocabulary, so it looks each time. */
export function recordReader({ db, baseUrl, vocabulary }: ReaderSite): () => Promise<RecordReader> {
  return async () => {
    const demo = await hasDemoRecords(db);
    await vocabulary.noticeChange();
    return { site: { baseUrl, vocabulary: vocabulary.of({ withDefaults: demo }) } };
  };
}

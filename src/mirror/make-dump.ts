import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Knex } from "knex";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { RecordReader } from "../record-api/record.ts";
import { recordKinds } from "../record-api/record-kinds.ts";
import {
  addDump,
  addPart,
  beginDump,
  completeDump,
  type DumpState,
  listDumpStates,
  PART_BYTES,
  readRows,
} from "./dump-queries.ts";
import { shapeOf } from "./shape.ts";

/** Records that are written in one turn: a few milliseconds, during which requests wait. */
const BATCH = 200;
const DAY_S = 24 * 3600;
/**
 * Seconds from one dump of a kind to the next at least, where that one cannot be given any more as well, and how many
 * times as long as it took to make.
 */
const PAUSE = { seconds: 60, fromUseless: 30, times: 20 } as const;

/** Whether a kind needs a new dump: after an import or a day, unless there was one just now. */
export function isDumpDue(state: DumpState, shape: string): boolean {
  if (state.shape === null) return true;
  const isUseless = state.shape !== shape || !state.is_followed;
  const isWanted = isUseless || (state.is_outdated && (state.is_imported || state.age >= DAY_S));
  const pause = isUseless ? PAUSE.fromUseless : PAUSE.seconds;
  return isWanted && state.age >= Math.max(pause, PAUSE.times * state.seconds);
}

/**
 * Makes a dump of a kind if it is due, from one state of the database, in one transaction and flat memory.
 * @throws the signal's reason; nothing is written then
 */
export async function makeDueDump(
  db: Knex,
  kind: CatalogueKind,
  reader: RecordReader,
  signal: AbortSignal,
): Promise<void> {
  const shape = shapeOf(kind, reader);
  await db.transaction(
    async (transaction) => {
      if (!(await beginDump(transaction, kind))) return;
      const [state] = await listDumpStates(transaction, kind);
      if (state === undefined || !isDumpDue(state, shape)) return;
      await makeDump(transaction, kind, reader, signal);
    },
    { isolationLevel: "repeatable read" },
  );
}

/** Makes a dump of a kind in a transaction that sees one state of the database. */
export async function makeDump(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
  reader: RecordReader,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  const id = await addDump(transaction, kind, shapeOf(kind, reader));
  const counted = { records: 0 };
  const file = new PartWriter((part, content) => addPart(transaction, id, part, content));
  await pipeline(
    Readable.from(linesOf(transaction, kind, reader, counted)),
    createGzip(),
    (chunks: AsyncIterable<Buffer>) => file.write(chunks),
    { signal },
  );
  const seconds = (performance.now() - began) / 1000;
  await completeDump(transaction, id, { ...counted, ...file.ended(), seconds });
}

async function* linesOf(
  transaction: Knex.Transaction,
  kind: CatalogueKind,
  reader: RecordReader,
  counted: { records: number },
): AsyncGenerator<string> {
  const records = recordKinds().get(kind);
  if (!records) throw new Error(`there is no kind ${kind}`);
  for await (const rows of readRows(transaction, kind, BATCH)) {
    counted.records += rows.length;
    yield rows.map((row) => `${JSON.stringify(records.toJson(row, reader))}\n`).join("");
    await turn();
  }
}

/** Cuts a stream into parts of one size, but for the last one. */
class PartWriter {
  readonly #hash = createHash("sha256");
  readonly #store: (part: number, content: Buffer) => Promise<void>;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #parts = 0;
  #bytes = 0;

  constructor(store: (part: number, content: Buffer) => Promise<void>) {
    this.#store = store;
  }

  async write(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#chunks.push(chunk);
      this.#waiting += chunk.length;
      while (this.#waiting >= PART_BYTES) await this.#storePart();
    }
    if (this.#waiting > 0) await this.#storePart();
  }

  /** What was written. */
  ended(): { bytes: number; sha256: Buffer } {
    return { bytes: this.#bytes, sha256: this.#hash.digest() };
  }

  async #storePart(): Promise<void> {
    const all = Buffer.concat(this.#chunks);
    const content = all.subarray(0, PART_BYTES);
    const rest = all.subarray(PART_BYTES);
    await this.#store(this.#parts, content);
    this.#parts += 1;
    this.#bytes += content.length;
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#waiting = rest.length;
  }
}

import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createUser } from "../../accounts/queries.ts";
import type { Db } from "../../db/connect.ts";
import { importRecords } from "../../exchange/import/import-records.ts";
import { BUILT_IN_IMPORTS, type ImportKind } from "../../exchange/import/kinds.ts";
import { hasRealRecords, lockDemo, readDemoState, rememberDemo } from "../../records/demo-records.ts";
import { Pictures } from "../../records/pictures/collect.ts";
import { DatabaseStore, type PictureStore } from "../../records/pictures/store.ts";
import { topUpDemoHistory } from "./history-queries.ts";
import { hasPictures, PICTURED_KINDS, storePictures } from "./pictures.ts";
import { writePriceYear } from "./price-year.ts";
import { writePictures } from "./queries.ts";
import { readSeed, SEEDS } from "./seeds.ts";
import { writeTexts } from "./texts.ts";

const OPERATOR = "operator";

/** The log-in of the demo operator. The password is stored only as a hash. */
export interface DemoLogin {
  name: string;
  password: string;
}

interface LoadOptions {
  /** Makes the store of pictures, which may use the load's own transaction; by default it is in the database. */
  readonly createStore?: (db: Db) => PictureStore;
  /** Called before each step of the load with the number of steps that are done. */
  onProgress?(progress: { readonly doing: string; readonly done: number; readonly total: number }): void;
}

interface StartOptions extends LoadOptions {
  /** False: nothing is loaded, but what is there is brought up to date. */
  readonly isWanted?: boolean;
  /** Called before the demo data is loaded. */
  onStart?(): void;
}

/**
 * Loads the demo data once, into a database without other records; returns the operator's log-in if it did. Records that
 * an earlier version loaded get the pictures, texts in other languages and year of prices that this one has.
 */
export async function loadDemoOnce(db: Db, options: StartOptions = {}): Promise<DemoLogin | undefined> {
  return db.transaction(async (transaction) => {
    await lockDemo(transaction);
    const known = await readDemoState(transaction);
    if (known?.state === "loaded") await renewDemo(transaction, known.files, options);
    if (options.isWanted === false || known !== undefined || (await hasRealRecords(transaction)))
      return undefined;
    options.onStart?.();
    return loadDemo(transaction, options);
  });
}

/** Adds what this version has beyond an earlier load, and gives the store the pictures that it has lost. */
async function renewDemo(
  transaction: Db,
  loadedFrom: string | undefined,
  { createStore = createDatabaseStore }: LoadOptions,
): Promise<void> {
  const store = createStore(transaction);
  const files = await hashFiles();
  if (files === loadedFrom && (await hasPictures(store))) return;
  for (const kind of PICTURED_KINDS) await writePictures(transaction, kind, await storePictures(kind, store));
  await writeTexts(transaction);
  await writePriceYear(transaction);
  await rememberDemo(transaction, { state: "loaded", files });
}

function createDatabaseStore(db: Db): PictureStore {
  return new DatabaseStore(db);
}

async function hashFiles(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await readdir(SEEDS, { recursive: true })).sort()) {
    if (/\.(json|svg)$/.test(file)) hash.update(file).update(await readFile(new URL(file, SEEDS)));
  }
  return hash.digest("hex");
}

/** Loads the demo data; its periods and history start now. Returns a log-in if it created the operator. */
export async function loadDemo(
  db: Db,
  { createStore = createDatabaseStore, onProgress }: LoadOptions = {},
): Promise<DemoLogin | undefined> {
  const now = Date.now();
  const store = createStore(db);
  const steps: [doing: string, work: () => Promise<unknown>][] = [
    ...BUILT_IN_IMPORTS.map((kind): [string, () => Promise<unknown>] => [
      kind,
      () => importDemo(db, kind, { now, store }),
    ]),
    ["prices", () => writePriceYear(db)],
    ["history of the servers", () => topUpDemoHistory(db)],
  ];
  for (const [done, [doing, work]] of steps.entries()) {
    onProgress?.({ doing, done, total: steps.length });
    await work();
  }
  await rememberDemo(db, { state: "loaded", files: await hashFiles() });
  return createOperator(db);
}

async function importDemo(
  db: Db,
  kind: ImportKind,
  { now, store }: { now: number; store: PictureStore },
): Promise<void> {
  const pictured = PICTURED_KINDS.find((each) => each === kind);
  const pictures = pictured && new Pictures(await storePictures(pictured, store));
  await importRecords(db, kind, readDemo(kind, now), { demo: true, ...(pictures && { pictures }) });
}

async function* readDemo(kind: ImportKind, now: number): AsyncGenerator<unknown> {
  const records = await readSeed<Record<string, unknown>[]>(kind);
  for (const record of records) yield kind === "discounts" ? withPeriod(record, now) : record;
}

/** The file has a discount's period in hours from loading, so that some always run. */
function withPeriod({ starts_in_hours, ends_in_hours, ...discount }: Record<string, unknown>, now: number) {
  const at = (hours: unknown) =>
    typeof hours === "number" ? new Date(now + hours * 3_600_000).toISOString() : null;
  return { ...discount, starts_at: at(starts_in_hours), ends_at: at(ends_in_hours) };
}

async function createOperator(db: Db): Promise<DemoLogin | undefined> {
  if (await db("users").where({ name_key: OPERATOR }).first()) return undefined;
  const password = randomBytes(12).toString("base64url");
  await createUser(db, { name: OPERATOR, password, role: "operator" });
  return { name: OPERATOR, password };
}

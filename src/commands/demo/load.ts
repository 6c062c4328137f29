import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createUser } from "../../accounts/queries.ts";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { importRecords } from "../../exchange/import/import-records.ts";
import { BUILT_IN_IMPORTS, type ImportKind } from "../../exchange/import/kinds.ts";
import { hasRealRecords, lockDemo, readDemoState, rememberDemo } from "../../records/demo-records.ts";
import { Pictures } from "../../records/pictures/collect.ts";
import { nameOfBytes } from "../../records/pictures/make-sizes.ts";
import { DatabaseStore, type PictureStore } from "../../records/pictures/store.ts";
import { DRAWING, LARGE, pictureColumn } from "../../records/stored-picture.ts";
import { topUpDemoHistory } from "./history-queries.ts";
import { readSeed, SEEDS } from "./seeds.ts";

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
  const files = hashFiles();
  if (files === loadedFrom && (await hasPictures(store))) return;
  for (const kind of PICTURED_KINDS) await writePictures(transaction, kind, await storePictures(kind, store));
  await writeTexts(transaction);
  await writePriceYear(transaction);
  await rememberDemo(transaction, { state: "loaded", files });
}

const createDatabaseStore = (db: Db): PictureStore => new DatabaseStore(db);

/** Reads its 700 files synchronously, in half the CPU time: at a start nothing is served yet. */
function hashFiles(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(SEEDS, { recursive: true, encoding: "utf8" }).sort()) {
    if (/\.(json|svg)$/.test(file)) hash.update(file).update(readFileSync(new URL(file, SEEDS)));
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
  await rememberDemo(db, { state: "loaded", files: hashFiles() });
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

/** The kinds whose demo records have pictures. */
export const PICTURED_KINDS = ["items", "vehicles", "donate-items"] as const;

type PicturedKind = (typeof PICTURED_KINDS)[number];

/**
 * Puts the pictures of a kind into the store, as the drawings that they are: to make their sizes would take a core for
 * half a minute. Resolves to values of the column `picture` by id.
 */
async function storePictures(kind: PicturedKind, store: PictureStore): Promise<ReadonlyMap<string, string>> {
  const folder = folderOf(kind);
  const columns = new Map<string, string>();
  for (const file of await readdir(folder)) {
    const bytes = await readFile(new URL(file, folder));
    const name = nameOfBytes(bytes);
    await store.write(name, new Map([[DRAWING, bytes]]));
    columns.set(file.replace(/\.svg$/, ""), pictureColumn({ name, width: LARGE, height: LARGE }));
  }
  return columns;
}

/**
 * Gives demo records of a kind their pictures, by id, but for those whose picture an operator chose. It is no change of
 * what they say, so they keep their revision.
 */
async function writePictures(db: Db, kind: string, pictures: ReadonlyMap<string, string>): Promise<void> {
  const table = kind.replaceAll("-", "_");
  await db.raw(
    `update ${table} t set picture = s.picture
       from unnest(cast(:ids as text[]), cast(:pictures as text[])) s (id, picture)
      where t.id = s.id and t.demo and t.picture is distinct from s.picture
        and not exists (select from picture_uploads u
                         where u.kind = :table and u.id = t.id and u.picture is not distinct from t.picture)`,
    { table, ids: [...pictures.keys()], pictures: [...pictures.values()] },
  );
}

/** Whether the store has the pictures: whether it has the one that is stored last. */
async function hasPictures(store: PictureStore): Promise<boolean> {
  const folder = folderOf("donate-items");
  const file = (await readdir(folder)).at(-1) ?? "";
  return (await store.read(nameOfBytes(await readFile(new URL(file, folder))), DRAWING)) !== undefined;
}

function folderOf(kind: PicturedKind): URL {
  return new URL(`pictures/${kind}/`, SEEDS);
}

/** The texts of a demo record, and the same by language: descriptions, or titles of discounts. */
const TEXTS = { one: "description", all: "descriptions" };
const TITLES = { one: "title", all: "titles" };

type Texted = { id: string } & Record<string, unknown>;

/**
 * Adds texts in other languages to demo records of an earlier version. Skips records whose text somebody changed, or
 * that have other languages already. Their content stays the same, so they keep their revision.
 */
async function writeTexts(db: Db): Promise<void> {
  for (const kind of BUILT_IN_IMPORTS) {
    if (kind === "relations") continue;
    const { one, all } = kind === "discounts" ? TITLES : TEXTS;
    const records = await readSeed<Texted[]>(kind);
    const texts = records.map((record) => ({ id: record.id, one: record[one], all: record[all] ?? {} }));
    await db.raw(
      `update ?? t set ?? = s."all"
         from jsonb_to_recordset(?::jsonb) s (id text, one text, "all" jsonb)
        where t.id = s.id and t.demo and t.?? = s.one and t.?? = '{}' and s."all" <> '{}'`,
      [kind.replaceAll("-", "_"), all, JSON.stringify(texts), one, all],
    );
  }
}

const DAY_MS = 24 * 3_600_000;

/** The prices of the shop's items in the year before the demo was loaded, from seeds/demo/price-year.json. */
interface PriceYear {
  /** Sales that items took part in, named by the days since they began. */
  sales: { days_ago: number; days: number; titles: Record<string, string> }[];
  /** Regular prices, the oldest first and the last one of today, and the share that each sale took off. */
  items: {
    item_key: string;
    prices: { days_ago: number; price: string }[];
    sales: { event: number; percent: string }[];
  }[];
}

/** An item of the demo whose history is only what happened since it was loaded. */
interface ShortItem {
  id: string;
  price: string | null;
  created_at: Date;
}

/**
 * Gives the shop's demo items the year of prices and discounts before they were loaded, also where an earlier version
 * loaded them. An item whose price somebody changed since keeps its own history. Safe to call again.
 */
async function writePriceYear(db: Db): Promise<void> {
  const items = await listShortItems(db);
  if (items.length === 0) return;
  const year = await readSeed<PriceYear>("price-year");
  const known = new Map(items.map((item) => [item.id, item]));
  const wanted = year.items.flatMap((item) => {
    const stored = known.get(item.item_key);
    return stored && stored.price === item.prices.at(-1)?.price
      ? [{ ...item, loadedAt: stored.created_at }]
      : [];
  });
  for (const { item_key, prices, loadedAt } of wanted) await writePrices(db, item_key, prices, loadedAt);
  const discounts = wanted.flatMap((item) => pastDiscounts(item, year.sales));
  if (discounts.length > 0) await importRecords(db, "discounts", discounts, { demo: true });
}

async function listShortItems(db: Db): Promise<ShortItem[]> {
  return selectRows<ShortItem>(
    db,
    `select item.id, item.price, item.created_at
       from donate_items item join price_versions version on version.item_key = item.id
      where item.demo
      group by item.id
     having count(*) = 1 and min(version.valid_from) > item.created_at - interval '300 days'`,
  );
}

/** Begins the price of today when it was set, and puts the earlier ones before it. */
async function writePrices(
  db: Db,
  itemKey: string,
  prices: PriceYear["items"][number]["prices"],
  loadedAt: Date,
): Promise<void> {
  const spans = prices.map(({ price, days_ago }, place) => {
    const next = prices[place + 1];
    return { price, from: before(loadedAt, days_ago), to: next ? before(loadedAt, next.days_ago) : null };
  });
  const now = spans.at(-1);
  if (!now) return;
  await db("price_versions").where({ item_key: itemKey, valid_to: null }).update({ valid_from: now.from });
  await db.raw(
    `insert into price_versions (item_key, price, currency, valid_from, valid_to)
     select item.id, past.price, item.currency, past."from", past."to"
       from donate_items item,
            jsonb_to_recordset(:past::jsonb) past (price numeric, "from" timestamptz, "to" timestamptz)
      where item.id = :itemKey`,
    { itemKey, past: JSON.stringify(spans.slice(0, -1)) },
  );
}

/** Records of the discounts that an item had in its year. */
function pastDiscounts(
  { item_key, sales, loadedAt }: PriceYear["items"][number] & { loadedAt: Date },
  events: PriceYear["sales"],
): Record<string, unknown>[] {
  return sales.flatMap(({ event, percent }) => {
    const sale = events.find(({ days_ago }) => days_ago === event);
    if (!sale) return [];
    const starts_at = before(loadedAt, sale.days_ago).toISOString();
    const ends_at = before(loadedAt, sale.days_ago - sale.days).toISOString();
    return [{ id: `${item_key}-${event}`, item_key, titles: sale.titles, percent, starts_at, ends_at }];
  });
}

function before(time: Date, days: number): Date {
  return new Date(time.getTime() - days * DAY_MS);
}

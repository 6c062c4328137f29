import type { Knex } from "knex";
import { type LazyText, lazyText, translateText } from "../words/i18n/lazy-text.ts";
import type { OwnKindTraits } from "../words/kinds/traits.ts";
import type { Db } from "./connect.ts";
import { DatabaseSetupError } from "./failures.ts";
import { limitWaiting, selectRow, selectRows } from "./rows.ts";

/** A kind of the operator's own that has a table, whether the vocabulary still defines it or not. */
export interface StoredKind {
  readonly kind: string;
  readonly one: string;
}

type Named = Pick<OwnKindTraits, "kind" | "one">;

/** Name of the lock for creating or dropping tables of kinds. */
const LOCK = "almanac own kinds";
/** Creating a table changes that of favorites, so it waits for all transactions that use it, and they wait for it. */
const LOCK_TIMEOUT = "10s";
/** A function of Postgres checks that a favorite is of one kind, and takes at most 100 arguments. */
const MOST_KINDS = 90;

/** The operator's kinds that have tables, by name. */
export async function listStoredKinds(db: Db): Promise<StoredKind[]> {
  return db<StoredKind>("own_kinds").select("kind", "one").orderBy("kind");
}

/**
 * Creates missing tables of kinds, with indexes for a map and a column for favorites, so that a kind's traits may
 * change without a migration. One of several processes works while the others wait. Returns the kinds whose table is
 * new.
 * @throws DatabaseSetupError with a line for each kind that the database has no room for
 */
export async function makeKindTables(db: Knex, kinds: readonly Named[]): Promise<string[]> {
  if (kinds.length === 0) return [];
  const isComplete = (stored: StoredKind[]) => kinds.every((kind) => isStored(kind, stored));
  if (isComplete(await listStoredKinds(db))) return [];
  return withKindLock(db, async (transaction) => {
    const mistakes = await findKindMistakes(transaction, kinds);
    if (mistakes.length > 0) throw new DatabaseSetupError(mistakes.map(kindMistakeText).join("\n"));
    const stored = await listStoredKinds(transaction);
    const missing = kinds.filter((kind) => !isStored(kind, stored));
    for (const { kind, one } of missing) {
      await transaction.raw("select add_catalogue_kind(?, ?, placed => true, favorite => true)", [kind, one]);
      await transaction("own_kinds").insert({ kind, one });
    }
    return missing.map(({ kind }) => kind);
  });
}

/** Why the database cannot hold a kind. */
export interface KindMistake {
  /** The path in the vocabulary. */
  readonly path: readonly string[];
  readonly message: LazyText;
}

/** A mistake as a line of English: `kinds.users: …`. */
export function kindMistakeText({ path, message }: KindMistake): string {
  return `${path.join(".")}: ${translateText(message)}`;
}

/** Why the database cannot hold some of these kinds. */
export async function findKindMistakes(db: Db, kinds: readonly Named[]): Promise<KindMistake[]> {
  if (kinds.length === 0) return [];
  const stored = await listStoredKinds(db);
  const tables = await listTables(
    db,
    kinds.map(({ kind }) => kind),
  );
  const all = new Set([...stored, ...kinds].map(({ kind }) => kind));
  if (all.size > MOST_KINDS && all.size > stored.length) {
    const message = lazyText("operator.vocabulary.mistake.kinds_most", { most: MOST_KINDS });
    return [{ path: ["kinds"], message }];
  }
  return kinds.flatMap(({ kind, one }) => {
    const before = stored.find((each) => each.kind === kind);
    if (before && before.one !== one) {
      const message = lazyText("operator.vocabulary.mistake.word_stored", { stored: before.one, word: one });
      return [{ path: ["kinds", kind, "one"], message }];
    }
    const other = stored.find((each) => each.one === one && each.kind !== kind);
    if (other) {
      const message = lazyText("operator.vocabulary.mistake.word_left", { word: one, kind: other.kind });
      return [{ path: ["kinds", kind, "one"], message }];
    }
    if (before || !tables.includes(kind)) return [];
    const message = lazyText("operator.vocabulary.mistake.kind_table", { other: `game_${kind}` });
    return [{ path: ["kinds", kind], message }];
  });
}

/** How many rows go with a kind: its entries, their favorites, and relations to one. */
export async function countKindRows(db: Db, { kind, one }: StoredKind) {
  return selectRow<{ entries: number; favorites: number; relations: number }>(
    db,
    `select (select count(*) from ??) as entries,
            (select count(*) from entity_favorites where kind = ?) as favorites,
            (select count(*) from relations where from_kind = ? or to_kind = ?) as relations`,
    [kind, one, one, one],
  );
}

/** Removes a kind for good, with all rows that `countKindRows` counts. */
export async function dropKind(db: Knex, { kind, one }: StoredKind): Promise<void> {
  await withKindLock(db, async (transaction) => {
    for (const table of ["relations", "attribute_relations"])
      await transaction(table).where({ from_kind: one }).orWhere({ to_kind: one }).delete();
    await transaction("reference_attributes").where({ kind }).orWhere({ to_kind: kind }).delete();
    await transaction("donate_items")
      .where({ entity_kind: one })
      .update({ entity_kind: null, entity_id: null });
    await transaction.raw("select remove_catalogue_kind(?, ?)", [kind, one]);
    await transaction("own_kinds").where({ kind }).delete();
  });
}

function isStored({ kind, one }: Named, stored: readonly StoredKind[]): boolean {
  return stored.some((each) => each.kind === kind && each.one === one);
}

/** Names that a table cannot have, because tables, indexes, sequences or types have them. */
async function listTables(db: Db, names: string[]): Promise<string[]> {
  const rows = await selectRows<{ name: string }>(
    db,
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relname = any(:names)
     union
     select typname from pg_type where typnamespace = current_schema()::regnamespace and typname = any(:names)`,
    { names },
  );
  return rows.map(({ name }) => name);
}

async function withKindLock<Result>(
  db: Knex,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [LOCK]);
    await limitWaiting(transaction, LOCK_TIMEOUT);
    return work(transaction);
  });
}

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import { describe, expect, it } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { BUILT_IN_KINDS, has } from "../../src/words/kinds/kinds.ts";
import { OTHER_KIND_NAMES } from "../../src/words/kinds/searchable-kinds.ts";
import { createTestDatabase, useTestDatabase } from "../helpers/database.ts";

describe("the descriptor of a kind", () => {
  it.each([...LANGUAGES])("has the texts that its traits ask for in %s, and no others", (language) => {
    const file = new URL(`../../src/words/i18n/${language}.json`, import.meta.url);
    const { kinds } = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(kinds)).toEqual([...BUILT_IN_KINDS, ...OTHER_KIND_NAMES, "own"]);
    for (const kind of OTHER_KIND_NAMES) {
      expect(namesOf(kinds[kind]), kind).toEqual(["all", "many", "not_found", "one"]);
    }
    const { own } = kinds;
    expect(namesOf(own)).toEqual(
      ["one", "many", "all", "none", "missing", "no_such", "not_found", "compare", "feed", "map"].sort(),
    );
    for (const kind of BUILT_IN_KINDS) {
      const wanted = [
        ...["one", "many", "all", "none", "missing"],
        ...(has(kind, "isFavorite") ? ["no_such"] : []),
        ...(has(kind, "isSearched") ? ["not_found"] : []),
        ...(has(kind, "isCompared") ? ["compare"] : []),
        ...(has(kind, "hasFeed") ? ["feed"] : []),
        ...(has(kind, "isPlaced") ? ["map"] : []),
      ];
      expect(namesOf(kinds[kind]), kind).toEqual(wanted.sort());
    }
  });

  function namesOf(texts: object): string[] {
    return Object.keys(texts)
      .filter((name) => !name.startsWith("count_"))
      .sort();
  }
});

describe("add_catalogue_kind", () => {
  const database = useTestDatabase();

  it("makes a table of the shape of scripts, and of houses where it is on the map", async () => {
    const { db } = database;
    await db.raw("select add_catalogue_kind('hats', 'hat')");
    await db.raw("select add_catalogue_kind('towers', 'tower', placed => true)");
    expect(await shapeOf(db, "hats")).toEqual(await shapeOf(db, "scripts"));
    expect(await shapeOf(db, "towers")).toEqual(await shapeOf(db, "houses"));
    expect((await shapeOf(db, "towers")).indexes.length).toBeGreaterThan(
      (await shapeOf(db, "hats")).indexes.length,
    );
  });

  it("counts its changes and keeps its revisions", async () => {
    const { db } = database;
    await db.raw("select add_catalogue_kind('pets', 'pet')");
    await db("pets").insert({ id: "cat", name: "Cat" });
    await db("pets").where({ id: "cat" }).update({ name: "Tabby", revision: 2 });
    const version = await db("catalogue_versions").where({ kind: "pets" }).first("version");
    expect(Number(version?.version)).toBe(2);
    const kept = await db("catalogue_revisions").where({ kind: "pets" }).select("entry_id", "before");
    expect(kept).toEqual([{ entry_id: "cat", before: { name: "Cat" } }]);
  });

  it("lets it be a favorite beside the others, and goes back without a trace but for its own rows", async () => {
    await using own = await disposable();
    const { db } = own;
    const userId = await createUser(db, { name: "Anna", password: "none" });
    await db("items").insert({ id: "gun", name: "Gun" });
    await db("entity_favorites").insert({ user_id: userId, item_id: "gun" });
    // The first call writes the generated columns differently from the migration that made them.
    await db.raw("select add_catalogue_kind('pets', 'pet', favorite => true)");
    await db.raw("select remove_catalogue_kind('pets', 'pet')");
    const before = await schemaOf(db);
    await db.raw("select add_catalogue_kind('hats', 'hat', favorite => true)");
    await db("hats").insert({ id: "red", name: "Red" });
    await db("entity_favorites").insert({ user_id: userId, hat_id: "red" });
    const kinds = db("entity_favorites").orderBy("entity_id").select("kind", "entity_id");
    expect(await kinds.clone()).toEqual([
      { kind: "item", entity_id: "gun" },
      { kind: "hat", entity_id: "red" },
    ]);
    await expect(db("entity_favorites").insert({ user_id: userId, hat_id: "red" })).rejects.toThrow(/pkey/);
    await db("hats").delete();
    expect(await kinds.clone()).toHaveLength(1);
    await db.raw("select remove_catalogue_kind('hats', 'hat')");
    expect(await schemaOf(db)).toEqual(before);
    expect(await kinds.clone()).toEqual([{ kind: "item", entity_id: "gun" }]);
  });
});

async function disposable() {
  const own = await createTestDatabase();
  return { ...own, [Symbol.asyncDispose]: () => own.drop() };
}

/** Columns, checks, indexes and triggers of a table, without its name. */
async function shapeOf(db: Knex, table: string) {
  const read = async (sql: string): Promise<string[]> => {
    const { rows } = await db.raw(sql, { table });
    return rows.map(({ text }: { text: string }) => text.replaceAll(table, "<table>")).sort();
  };
  return {
    columns: await read(
      "select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation, pg_get_expr(adbin, adrelid)) as text from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum where attrelid = :table::regclass and attnum > 0 and not attisdropped",
    ),
    checks: await read(
      "select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = :table::regclass and contype <> 'n'",
    ),
    indexes: await read(
      "select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = :table::regclass",
    ),
    triggers: await read(
      "select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = :table::regclass and not tgisinternal",
    ),
  };
}

/** Every table's columns, constraints and indexes. */
async function schemaOf(db: Knex): Promise<string[]> {
  const { rows } = await db.raw(`
    select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) as text
      from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid)) from pg_constraint
     where connamespace = 'public'::regnamespace
    union all select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indexrelid
     where relnamespace = 'public'::regnamespace`);
  return rows.map(({ text }: { text: string }) => text).sort();
}

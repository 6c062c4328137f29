import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { listRecords } from "../helpers/servers.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.raw(
    "truncate items, vehicles, scripts, houses, businesses, servers, donate_items, users cascade",
  );
});

const prune = (kind: ImportKind, records: unknown[], options?: ImportOptions) =>
  importRecords(database.db, kind, records, { prune: true, ...options });

const named = (...ids: unknown[]) => ids.map((id) => ({ id, name: `Name ${id}` }));
const idsOf = (table: string) => database.db(table).orderBy("id").pluck("id");

async function addUser(): Promise<number> {
  const [user] = await database
    .db("users")
    .insert({ name: "Ann", name_key: "ann", password_hash: "$argon2id$x" })
    .returning("id");
  return user.id;
}

describe("prune", () => {
  it("removes what the file does not have", async () => {
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    const summary = await prune("items", named(2, 3, 5));
    expect(summary).toMatchObject({ added: 1, changed: 0, unchanged: 2, removed: 2 });
    expect(await idsOf("items")).toEqual(["2", "3", "5"]);
  });

  it("is not done unless asked for", async () => {
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    expect(await importRecords(database.db, "items", named(4))).toMatchObject({ removed: 0 });
    expect(await idsOf("items")).toHaveLength(4);
  });

  it("removes exactly half, and refuses one more", async () => {
    await importRecords(database.db, "items", named(1, 2, 3, 4));
    const refused = prune("items", named(1, 5, 6, 7));
    await expect(refused).rejects.toThrow(ImportRefusedError);
    await expect(refused).rejects.toThrow(
      "--prune would remove 3 of the 4 items that are there, more than half; --force does it",
    );
    expect(await idsOf("items")).toEqual(["1", "2", "3", "4"]);
    expect(await prune("items", named(1, 2))).toMatchObject({ removed: 2 });
  });

  it("refuses an empty file, which without it is fine", async () => {
    await importRecords(database.db, "items", named(1));
    expect(await importRecords(database.db, "items", [])).toMatchObject({ records: 0, removed: 0 });
    await expect(prune("items", [])).rejects.toThrow("would remove 1 of the 1 items");
    expect(await idsOf("items")).toEqual(["1"]);
    expect(await prune("items", [], { force: true })).toMatchObject({ records: 0, removed: 1 });
    expect(await prune("items", [])).toMatchObject({ removed: 0 });
  });
});

describe("favorites of what is removed", () => {
  it.each([
    ["items", "item_id"],
    ["vehicles", "vehicle_id"],
    ["scripts", "script_id"],
    ["houses", "house_id"],
    ["businesses", "business_id"],
  ] as const)("go with it and are told: %s", async (kind, column) => {
    await importRecords(database.db, kind, named(1, 2, 3));
    const user_id = await addUser();
    await database.db("entity_favorites").insert([1, 3].map((id) => ({ user_id, [column]: String(id) })));
    expect(await prune(kind, named(1, 2))).toMatchObject({ removed: 1, removedFavorites: 1 });
    expect(await database.db("entity_favorites").pluck("entity_id")).toEqual(["1"]);
  });

  it("reports what goes with it: servers, with their history", async () => {
    await importRecords(
      database.db,
      "servers",
      named(1, 2, 3).map((server) => ({ ...server, online: 5 })),
    );
    const user_id = await addUser();
    await database.db("server_favorites").insert([1, 2].map((id) => ({ user_id, server_id: String(id) })));
    expect(await prune("servers", named(1, 3))).toMatchObject({ removed: 1, removedFavorites: 1 });
    expect(await database.db("server_favorites").pluck("server_id")).toEqual(["1"]);
    expect((await listRecords(database.db)).map(({ server_id }) => server_id)).toEqual(["1", "3"]);
  });

  it("reports what goes with it: donate items, with their discounts", async () => {
    const items = (...ids: number[]) => named(...ids).map((item) => ({ ...item, price: 5, currency: "EUR" }));
    await importRecords(database.db, "donate-items", items(1, 2, 3));
    const discounts = [1, 2, 2].map((item_key, id) => ({
      id,
      item_key,
      percent: 10,
      starts_at: "2026-01-01",
    }));
    await importRecords(database.db, "discounts", discounts);
    const user_id = await addUser();
    await database.db("donate_favorites").insert([1, 2].map((id) => ({ user_id, item_key: String(id) })));
    expect(await prune("donate-items", items(1, 3))).toMatchObject({
      removed: 1,
      removedFavorites: 1,
      removedDiscounts: 2,
    });
    expect(await idsOf("discounts")).toEqual(["0"]);
  });

  it("stay when the run is refused or dry", async () => {
    await importRecords(database.db, "items", named(1, 2));
    const user_id = await addUser();
    await database.db("entity_favorites").insert({ user_id, item_id: "1" });
    await expect(prune("items", [])).rejects.toThrow(ImportRefusedError);
    expect(await prune("items", named(2), { dryRun: true })).toMatchObject({ removedFavorites: 1 });
    expect(await database.db("entity_favorites").pluck("entity_id")).toEqual(["1"]);
  });
});

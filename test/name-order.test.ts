import { describe, expect, it } from "vitest";
import { listEntries } from "../src/catalogue/list-queries.ts";
import { compareNames } from "../src/i18n/name-order.ts";
import { insertRecords } from "./helpers/catalogue.ts";
import { useTestDatabase } from "./helpers/database.ts";

const database = useTestDatabase();

/** As somebody would look for them in a printed index. */
const IN_ORDER = [
  "9mm",
  "10mm",
  "Activated Charcoal",
  "Admiral",
  "AK-47",
  "AT-400",
  "Baggage",
  "BF Injection",
  "éclair",
  "eCola",
  "House 2",
  "House 10",
  "Дом в Блуберри",
  "Дом Райдера",
  "Ёлка",
  "Ель",
  "Жар-птица",
];
const shuffled = IN_ORDER.toSorted((a, b) => a.length - b.length || (a < b ? 1 : -1));

describe("names are sorted as people look for them", () => {
  it("by the database", async () => {
    const entries = shuffled.map((name, at) => ({ id: String(at), name }));
    await insertRecords(database.db, "vehicles", entries);
    const range = { sort: "name", limit: 50, offset: 0 } as const;
    const listed = await listEntries(database.db, "vehicles", {}, range);
    expect(listed.map(({ name }) => name)).toEqual(IN_ORDER);
  });

  it("by our own code, where the rows are at hand", () => {
    expect(shuffled.toSorted(compareNames)).toEqual(IN_ORDER);
  });

  it("by an index, and not by a look at all rows", async () => {
    const plan = await database.db.transaction(async (transaction) => {
      await transaction.raw("set local enable_seqscan = off");
      await transaction.raw("set local enable_sort = off");
      const { rows } = await transaction.raw(
        "explain select id from vehicles order by name collate name_order, id limit 50",
      );
      return JSON.stringify(rows);
    });
    expect(plan).toContain("vehicles_name");
  });
});

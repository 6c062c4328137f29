import { beforeEach, expect, it } from "vitest";
import { NO_RECORDS, readExampleRecords } from "../../src/exchange/docs/examples.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();
beforeEach(() => emptyCatalogue(database.db));

const exampleOf = async (records: Parameters<typeof insertRecords>[2]) => {
  await insertRecords(database.db, "items", records);
  const { items, item_name } = await readExampleRecords(database.db);
  return [items, item_name];
};

it("examples are of nothing where there is nothing", async () => {
  expect(await readExampleRecords(database.db)).toEqual(NO_RECORDS);
});

it.each([
  [
    "the most popular of all categories",
    [
      { id: "a", name: "A", category: "Bikes", popularity: 3 },
      { id: "b", name: "B", category: "Cars", popularity: 9 },
      { id: "c", name: "C", category: "Cars", popularity: 4 },
      { id: "d", name: "D", category: "Zeppelins", popularity: null },
    ],
    ["b", "B"],
  ],
  [
    "one without a category, where that is the most popular",
    [
      { id: "a", name: "A", category: "Bikes", popularity: 3 },
      { id: "b", name: "B", category: null, popularity: null },
      { id: "c", name: "C", category: null, popularity: 4 },
    ],
    ["c", "C"],
  ],
  [
    "the first by id of those that are equal",
    [
      { id: "c", name: "C", category: "Bikes", popularity: 4 },
      { id: "b", name: "B", category: null, popularity: 4 },
      { id: "a", name: "A", category: "Cars", popularity: 4 },
    ],
    ["a", "A"],
  ],
  ["any of unknown popularity", [{ id: "b", name: "B", category: null, popularity: null }], ["b", "B"]],
])("examples are of %s", async (_what, records, expected) => {
  expect(await exampleOf(records)).toEqual(expected);
});

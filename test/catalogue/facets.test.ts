import { beforeEach, describe, expect, it } from "vitest";
import type { Facet } from "../../src/catalogue/facets.ts";
import { FacetsMemory, findFacets } from "../../src/catalogue/facets-memory.ts";
import { countRecords } from "../../src/catalogue/list/queries.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();

beforeEach(() => emptyCatalogue(database.db));

/** Vehicles with these attributes, one each. */
function store(...attributes: Record<string, unknown>[]): Promise<void> {
  const records = attributes.map((held, index) => ({ id: `v${index}`, attributes: held }));
  return insertRecords(database.db, "vehicles", records);
}

async function facetOf(key: string): Promise<Facet | undefined> {
  const { facets } = await findFacets(database.db, "vehicles");
  return facets.find((facet) => facet.key === key);
}

describe("what a kind is filtered by", () => {
  it("is nothing without records or attributes", async () => {
    expect(await findFacets(database.db, "vehicles")).toMatchObject({ facets: [], sorts: [], columns: [] });
    await store({}, {});
    const nothing = { facets: [], records: { count: 2, atLeast: false } };
    expect(await findFacets(database.db, "vehicles")).toMatchObject(nothing);
  });

  it("counts the values of texts that several records share, by their letters", async () => {
    await store({ city: "San Fierro" }, { city: "Los Santos" }, { city: "Los Santos" }, {});
    const values = [
      ["Los Santos", 2],
      ["San Fierro", 1],
    ];
    expect(await facetOf("city")).toEqual({
      ...{ key: "city", type: "string", present: 3, values, min: null, max: null },
    });
  });

  it("offers a few different numbers by their size, and many as a range", async () => {
    const seats = [2, 10, 2, 4, 2, 4, 4, 10, 10];
    await store(...seats.map((seats, index) => ({ seats, price: 1000.5 + index })));
    expect((await facetOf("seats"))?.values).toEqual([
      [2, 3],
      [4, 3],
      [10, 3],
    ]);
    expect(await facetOf("price")).toMatchObject({ values: null, min: 1000.5, max: 1008.5, present: 9 });
  });

  it("leaves out values that all records share or none, lists, objects, places and references", async () => {
    const same = { language: "Pawn", colours: ["red"], size: { x: 1 }, nothing: null, blank: "" };
    await store(
      { ...same, name: "a", x: 1, y: 2.5, model_id: 1 },
      { ...same, name: "b", x: 1, y: 2.5, model_id: 2 },
    );
    expect((await findFacets(database.db, "vehicles")).facets).toEqual([]);
  });
});

describe("counts under filters", () => {
  it("are those of the list, by value and by how many have the attribute at all", async () => {
    await store({ seats: 2, price: 5 }, { seats: 2 }, { seats: 4, price: 6 }, { seats: 4, price: "free" });
    const facet = (key: string, values: Facet["values"]): Facet => {
      return { key, type: "number", present: 0, values, min: null, max: null };
    };
    const filter = { attributes: [{ key: "seats", values: [4] }] };
    const facets = [facet("seats", []), facet("price", null)];
    const { records, facets: counts } = await countRecords(database.db, "vehicles", filter, facets);
    const { accuracy, byKey } = counts;
    expect(records).toEqual({ count: 2, atLeast: false });
    expect(accuracy).toBe("exact");
    expect(byKey.get("seats")).toEqual({ present: 2, values: new Map([["4", 2]]) });
    expect(byKey.get("price")).toEqual({ present: 1, values: new Map() });
  });
});

describe("a kind of many records", () => {
  const large = useTestDatabase();

  it("is estimated from a sample of all of the table", async () => {
    await large.db.transaction(async (transaction) => {
      // What a trigger notes of each record is of no interest here, and takes ten times as long as the records.
      await transaction.raw("alter table items disable trigger user");
      await transaction.raw(
        `insert into items (id, name, category, attributes)
         select n, 'Item', 'Things', jsonb_build_object('slot', n % 4, 'price', n) from generate_series(1, 60000) as n`,
      );
      await transaction.raw("alter table items enable trigger user");
    });
    await large.db.raw("analyze items");
    const { isSample, records, facets } = await findFacets(large.db, "items");
    expect({ isSample, records }).toEqual({ isSample: true, records: { count: 50_000, atLeast: true } });
    const slot = facets.find(({ key }) => key === "slot");
    expect(slot?.values?.map(([value]) => value)).toEqual([0, 1, 2, 3]);
    for (const [, count] of slot?.values ?? []) expect(count).toBeCloseTo(15_000, -4);
    // The sample includes the end of the table: an import may have added all records of a kind there.
    expect(facets.find(({ key }) => key === "price")?.max).toBeGreaterThan(58_000);
  });
});

describe("the memory of facets", () => {
  it("is read again after every change, and only then", async () => {
    const memory = new FacetsMemory(database.db);
    await store({ seats: 1 }, { seats: 2 });
    const first = await memory.read("vehicles");
    expect((await memory.read("vehicles")).facets).toBe(first.facets);
    await insertRecords(database.db, "vehicles", [{ id: "new", attributes: { seats: 9 } }]);
    const second = await memory.read("vehicles");
    expect(second.facets.facets[0]).toMatchObject({ key: "seats", max: 9 });
    expect(second.version).toBeGreaterThan(first.version);
  });
});

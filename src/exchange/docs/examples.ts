import { readFileSync } from "node:fs";
import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import { type Endpoint, namesInPath, type OperationId, operationName } from "../../web/api/endpoint.ts";
import type { ExampleCall, ExampleCalls } from "../../web/api/openapi-route.ts";

const RECORD_NAMES = [
  "items",
  "vehicles",
  "scripts",
  "houses",
  "businesses",
  "servers",
  "donate-items",
  "discounts",
  "item_name",
  "vehicle_name",
  "script_name",
] as const;

/** Values of this site's own records for examples, so that each of them works as it stands. */
export type ExampleRecords = Readonly<Record<(typeof RECORD_NAMES)[number], string | null>>;

/** Stands in while the database is away. */
export const NO_RECORDS = Object.fromEntries(RECORD_NAMES.map((name) => [name, null])) as ExampleRecords;

type Json = Readonly<Record<string, unknown>>;

/** Records of the demo as the API returns them, by kind, and answers of the operations that are not of one kind. */
interface Examples {
  readonly records: Readonly<Record<string, Json>>;
  readonly answers: Readonly<Record<string, Json>>;
}

const FILE = new URL("examples.json", import.meta.url);
/** The site whose addresses the file has. */
const FILE_ORIGIN = "https://almanac.example";

/** The records in the file, for the parameters of calls. */
const EXAMPLE_RECORDS: ExampleRecords = {
  items: "weapon-24",
  vehicles: "411",
  scripts: "car-dealership",
  houses: "house-1",
  businesses: "biz-1",
  servers: "ls-one",
  "donate-items": "vip-gold",
  discounts: "autumn-gold",
  item_name: "Desert Eagle",
  vehicle_name: "Infernus",
  script_name: "Car Dealership",
};

/** The answers of operations that all kinds have, on a site with this one record. */
const OF_KINDS: Partial<Record<OperationId, (record: Json) => Json>> = {
  getRecord: (record) => record,
  listRecords: (record) => ({ total: 1, next: null, records: [record] }),
  listRecordsAsCsv: (record) => ({ total: 1, next: null, records: [record] }),
  listChanges: (record) => ({
    changes: [{ version: 1024, id: record.id, change: "changed", at: record.updated_at, record }],
    next: "1024",
    complete: true,
  }),
};

/** An example call of each endpoint. Kinds of the operator's own have none, as the demo has no record of them. */
export function readExampleCalls(endpoints: Endpoint[], baseUrl: string): ExampleCalls {
  const examples: Examples = JSON.parse(readFileSync(FILE, "utf8").replaceAll(FILE_ORIGIN, baseUrl));
  const calls = endpoints.flatMap((declared) => {
    const answer = findAnswer(declared, examples);
    return answer ? [[operationName(declared), { input: sent(declared), ...answer }] as const] : [];
  });
  return Object.fromEntries(calls);
}

function findAnswer(
  declared: Endpoint,
  { records, answers }: Examples,
): Omit<ExampleCall, "input"> | undefined {
  const { ofKind, operationId, type } = declared;
  const record = ofKind === "relations" ? {} : records[ofKind ?? ""];
  if (ofKind && !record) return undefined;
  if (type === "own") return declared.example?.(record ?? {});
  const json = answers[operationId] ?? (record && OF_KINDS[operationId]?.(record));
  if (!json) return undefined;
  const csv = type === "read" ? declared.csv : undefined;
  return { ...(!csv?.only && { json }), ...(csv && { csv: csv.text(json, {}) }) };
}

/** The parameters of a call, those in its path included. */
function sent(declared: Endpoint): Record<string, string> {
  const input = exampleInput(declared, EXAMPLE_RECORDS, { limit: "2" });
  const names = [...namesInPath(declared.path), ...Object.keys(declared.input.shape)];
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

/** A record of each kind, the best known first. */
export async function readExampleRecords(db: Db): Promise<ExampleRecords> {
  const first = (table: string) => `(select id from ${table} order by id limit 1)`;
  return selectRow<ExampleRecords>(
    db,
    `select item.id as items, item.name as item_name, vehicle.id as vehicles, vehicle.name as vehicle_name,
            script.id as scripts, script.name as script_name,
            ${first("houses")} as houses, ${first("businesses")} as businesses, ${first("servers")} as servers,
            ${first("donate_items")} as "donate-items", ${first("discounts")} as discounts
       from (values (true)) as always
       left join (${mostPopular("items")}) as item on true
       left join (${mostPopular("vehicles")}) as vehicle on true
       left join (${mostPopular("scripts")}) as script on true`,
  );
}

/** The best of the best of each category: the index begins with the category, so a plain order would sort all records. */
function mostPopular(table: string): string {
  const bestWhere = (condition: string) =>
    `(select category, popularity, id, name from ${table} where ${condition}
       order by category, popularity desc nulls last, id limit 1)`;
  return `with recursive best as (
            ${bestWhere("true")}
            union all
            select next.* from best cross join lateral ${bestWhere("category > best.category")} as next
          )
          select id, name from (select * from best union all ${bestWhere("category is null")}) as of_category
           order by popularity desc nulls last, id limit 1`;
}

/**
 * The input of an endpoint's example call, by the parameter's name; a site without records gets made-up ids.
 * @param more values of parameters that most examples do without
 */
export function exampleInput(
  declared: Endpoint,
  records: ExampleRecords,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const values: Record<string, string> = {
    q: searched(declared.path, records),
    country: "ru",
    count: "5",
    server_id: records.servers ?? "1",
    item_key: records["donate-items"] ?? "1",
    kind: "item",
    id: idOf(declared.ofKind ?? "items", records),
    entity_id: records.items ?? "1",
    since: "0",
    ...more,
  };
  // A list without a search, which is the one that everybody begins with.
  const names = Object.keys(declared.input.shape).filter((name) => name !== "q" || isSearch(declared.path));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined || (name === "kind" && declared.ofKind) ? [] : [[name, value]];
    }),
  );
}

/** The address of a call: the input in its path and, of a read, in its query string. */
export function exampleAddress(declared: Endpoint, input: Record<string, string>, baseUrl: string): string {
  const inPath = namesInPath(declared.path);
  const path = declared.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(input[name] ?? "1"),
  );
  const query = new URLSearchParams(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  return declared.type === "form" || query.size === 0 ? baseUrl + path : `${baseUrl}${path}?${query}`;
}

function isSearch(path: string): boolean {
  return /\/search(\/all)?$/.test(path);
}

function searched(path: string, records: ExampleRecords): string {
  const { item_name, vehicle_name, script_name } = records;
  const name = path.includes("vehicles") ? vehicle_name : path.includes("scripts") ? script_name : item_name;
  // Its first word: one searches by typing less than a whole name.
  return name?.split(" ")[0] ?? "a";
}

function idOf(kind: string, records: ExampleRecords): string {
  return (Object.hasOwn(records, kind) ? records[kind as keyof ExampleRecords] : null) ?? "1";
}

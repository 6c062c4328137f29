import { readFileSync } from "node:fs";
import type { Endpoint } from "../../web/api/endpoint.ts";
import { namesInPath } from "../../web/api/endpoint-paths.ts";
import type { ExampleCall, ExampleCalls } from "../../web/api/openapi-examples.ts";
import { type OperationId, operationName } from "../../web/api/operation-names.ts";
import { type ExampleRecords, exampleInput } from "./example-values.ts";

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
  const record = ofKind?.kind === "relations" ? {} : records[ofKind?.kind ?? ""];
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

import type { Knex } from "knex";
import { z } from "zod";
import { selectRow } from "../../db/rows.ts";
import { LARGEST_COUNT, quote } from "../../records/values.ts";
import { RAW_HOURS } from "../../servers/history/levels.ts";
import { type Endpoint, ownEndpoint } from "../../web/api/endpoint.ts";
import { badInput, HttpError, notFound } from "../../web/pages/errors.ts";
import { id } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { isObject } from "../../words/text/json.ts";
import type { FieldError } from "../import/records/json-values.ts";
import { createRecordReader } from "../import/records/record-reader.ts";
import {
  createStaging,
  dropStaging,
  readClock,
  STAGING,
  stateDiffers,
  type WriteScope,
  writeStates,
} from "../import/storage/write-queries.ts";
import { readObject } from "./api.ts";

/** Fields of a measurement as it is sent; all may be missing, but it must tell something. */
const MEASUREMENT_FIELDS = ["checked_at", "status", "online", "queue", "max_online"] as const;

/**
 * What became of a measurement: `stored`; `unchanged`: it was known; `outdated`: a later one was known, so that it is
 * left out of state and history.
 */
const MEASUREMENT_RESULTS = ["stored", "unchanged", "outdated"] as const;
type MeasurementResult = (typeof MEASUREMENT_RESULTS)[number];

/** An error of one of several measurements, by its place among them. */
interface MeasurementError extends FieldError {
  readonly place: number;
}

type StoredMeasurements =
  | { readonly results: readonly { readonly checkedAt: string; readonly result: MeasurementResult }[] }
  | { readonly errors: readonly MeasurementError[] }
  | "no such server"
  /** The poller polls it. */
  | "polled";

interface Server {
  readonly id: string;
  readonly name: string;
  readonly adapter: string | null;
}

/** A measurement that was read. */
interface Measurement {
  readonly place: number;
  readonly checkedAt: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly provided: readonly string[];
}

/** Measurements that one call has at most. */
const MEASUREMENTS_AT_MOST = 100;
const BYTES_AT_MOST = 64 * 1024;

const count = z.int().min(0).max(LARGEST_COUNT).nullable().optional();
const time = z.iso.datetime({ offset: true });

const measurement = z
  .object({
    checked_at: time.optional().meta({
      description:
        "The time of the measurement, within the last 48 hours; a single one may leave it out for now.",
    }),
    status: z
      .enum(["online", "offline", "unknown"])
      .optional()
      .meta({ description: "Online by default if there is a count." }),
    online: count,
    queue: count.meta({ description: "Null if unknown; 0 if nobody is queuing." }),
    max_online: count.meta({ description: "The slots; left out, they stay as they were." }),
  })
  .meta({ id: "Measurement" });

/** One object for both forms: a choice between two is more than some generators of clients can do. */
const body = measurement
  .extend({
    measurements: z
      .array(measurement)
      .min(1)
      .max(MEASUREMENTS_AT_MOST)
      .optional()
      .meta({ description: "Several measurements, and no other fields." }),
  })
  .meta({ id: "MeasurementBody" });

const answer = z.object({
  server_id: z.string(),
  measurements: z
    .array(
      z.object({
        checked_at: z.iso.datetime(),
        result: z.enum(MEASUREMENT_RESULTS).meta({
          description: "unchanged: already stored; outdated: skipped, as a later one is stored.",
        }),
      }),
    )
    .meta({ description: "In the order of the request." }),
});

/** `POST /api/servers/{id}/measurements`: figures of a server that cannot be polled from outside. */
export function measurementEndpoint(): Endpoint {
  return ownEndpoint({
    method: "POST",
    path: "/api/servers/{id}/measurements",
    operationId: "postMeasurements",
    ofKind: "servers",
    access: "write:servers",
    input: z.object({ id: id() }),
    body: { types: ["application/json"], bytesAtMost: BYTES_AT_MOST, schema: body },
    example: exampleOf,
    answers: { 200: { meaning: "The result of each measurement.", body: answer } },
    problems: ["badInput", "forbidden", "notFound", "conflict", "payloadTooLarge", "unsupportedMediaType"],
    send: async ({ id }, { req, res }, context) => {
      const body = readObject(req.body);
      const given = measurementsIn(body);
      const stored = await context.write((transaction) => storeMeasurements(transaction, id, given));
      const results = resultsOf(stored, isList(body));
      res.set("Cache-Control", "no-store").json({
        server_id: id,
        measurements: results.map(({ checkedAt, result }) => ({ checked_at: checkedAt, result })),
      });
    },
  });
}

function isList(body: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(body, "measurements");
}

/** One measurement, or `{ "measurements": […] }`. @throws HttpError 400 */
function measurementsIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!isList(body)) return [body];
  const { measurements, ...others } = body;
  const isFitting =
    Array.isArray(measurements) && measurements.length > 0 && measurements.length <= MEASUREMENTS_AT_MOST;
  if (isFitting && Object.keys(others).length === 0) return measurements;
  throw badInput([
    { param: "measurements", message: lazyText("input.measurement_list", { max: MEASUREMENTS_AT_MOST }) },
  ]);
}

type Results = Extract<StoredMeasurements, { results: unknown }>["results"];

/** @throws HttpError for what was not stored */
function resultsOf(stored: StoredMeasurements, isList: boolean): Results {
  if (stored === "polled") throw new HttpError("conflict", lazyText("errors.detail.polled"));
  if (stored === "no such server") throw notFound("server");
  if ("results" in stored) return stored.results;
  const errors = stored.errors.map((error) => ({ param: paramOf(error, isList), message: error.reason }));
  throw badInput(errors);
}

function paramOf({ place, field }: MeasurementError, isList: boolean): string {
  if (!isList) return field === "" ? "body" : field;
  return [`measurements[${place}]`, ...(field === "" ? [] : [field])].join(".");
}

function exampleOf(read: Readonly<Record<string, unknown>>) {
  const checked_at = read.checked_at ?? new Date().toISOString();
  return {
    body: { checked_at, status: "online", online: 12, queue: 0, max_online: 50 },
    json: { server_id: read.id ?? "1", measurements: [{ checked_at, result: "stored" }] },
  };
}

/**
 * Stores measurements of a server that somebody else takes, in the order of their times: its state, its history and
 * its crossings, by the code of imports. If one is invalid, none is stored. Sending the same again changes nothing.
 */
export async function storeMeasurements(
  db: Knex,
  serverId: string,
  given: readonly unknown[],
): Promise<StoredMeasurements> {
  return db.transaction(async (transaction) => {
    const server = await transaction("servers")
      .where({ id: serverId })
      .forNoKeyUpdate()
      .first<Server | undefined>("id", "name", "adapter");
    if (!server) return "no such server";
    if (server.adapter !== null) return "polled";
    const now = await readClock(transaction);
    const read = given.map((measurement, place) => readMeasurement(measurement, place, server));
    const errors = [...read.flatMap((each) => each.errors ?? []), ...contradictions(read)];
    if (errors.length > 0) return { errors: errors.toSorted((a, b) => a.place - b.place) };
    const measurements = read
      .flatMap(({ measurement }) => measurement ?? [])
      .map((each) => ({ ...each, checkedAt: each.checkedAt || new Date(now).toISOString() }));
    const results = new Map<number, MeasurementResult>();
    await createStaging(transaction, "servers");
    for (const measurement of measurements.toSorted((a, b) => a.checkedAt.localeCompare(b.checkedAt)))
      results.set(measurement.place, await store(transaction, server, measurement, now));
    await dropStaging(transaction);
    return {
      results: measurements.map(({ place, checkedAt }) => ({
        checkedAt,
        result: results.get(place) ?? "unchanged",
      })),
    };
  });
}

interface Read {
  readonly measurement?: Measurement;
  readonly errors?: readonly MeasurementError[];
}

/** Checks a measurement as an import checks a record of a server. `checkedAt` is blank if it has no time. */
function readMeasurement(given: unknown, place: number, { id, name }: Server): Read {
  const at = (errors: readonly FieldError[]) => ({ errors: errors.map((error) => ({ ...error, place })) });
  if (!isObject(given))
    return at([{ field: "", reason: lazyText("refusals.object", { value: quote(given) }) }]);
  const names: readonly string[] = MEASUREMENT_FIELDS;
  const strangers = Object.keys(given).filter((field) => !names.includes(field));
  const reader = createRecordReader("servers", {});
  const { row, errors = [] } = reader.read({ ...given, id, name });
  const notOne = lazyText("refusals.not_one_of", { names: names.join(", ") });
  const unknown = strangers.map((field) => ({ field, reason: notOne }));
  if (!row || unknown.length > 0)
    return at([...unknown, ...errors.filter(({ field }) => names.includes(field))]);
  if (row.status === null) return at([{ field: "status", reason: lazyText("refusals.no_figures") }]);
  const checkedAt = (row.checked_at as string | null) ?? "";
  if (checkedAt !== "" && Date.parse(checkedAt) < Date.now() - RAW_HOURS * 3_600_000)
    return at([{ field: "checked_at", reason: lazyText("refusals.hours_ago", { hours: RAW_HOURS }) }]);
  const provided = [...reader.provided(), "status"];
  return { measurement: { place, checkedAt, row, provided } };
}

/** Each of several measurements needs a time, and no two may have the same one. */
function contradictions(read: readonly Read[]): MeasurementError[] {
  if (read.length === 1) return [];
  const known = new Set<string>();
  return read.flatMap(({ measurement }) => {
    if (!measurement) return [];
    const { place, checkedAt } = measurement;
    const isRepeated = checkedAt !== "" && known.has(checkedAt);
    known.add(checkedAt);
    const at = { place, field: "checked_at" };
    if (checkedAt === "") return [{ ...at, reason: lazyText("refusals.missing") }];
    return isRepeated ? [{ ...at, reason: lazyText("refusals.repeated_time") }] : [];
  });
}

async function store(
  transaction: Knex.Transaction,
  { id }: Server,
  { checkedAt, row, provided }: Measurement,
  now: string,
): Promise<MeasurementResult> {
  const { status, online, queue, max_online } = row;
  const staged = { record: 1, valid: true, id, status, online, queue, max_online, checked_at: checkedAt };
  await transaction(STAGING).delete();
  await transaction(STAGING).insert(staged);
  const scope: WriteScope = { kind: "servers", provided, demo: false, takesOver: false };
  const { result } = await selectRow<{ result: MeasurementResult }>(
    transaction,
    `select case
       when ${stateDiffers(scope, "t", "s")} then 'stored'
       when t.checked_at = s.checked_at or exists (
         select from online_records r
          where r.server_number = t.number and r.checked_at = s.checked_at
            and (r.status, r.online, r.queue) is not distinct from (s.status, s.online, s.queue)) then 'unchanged'
       else 'outdated' end as result
       from ${STAGING} s join servers t on t.id = s.id`,
  );
  if (result === "stored") await writeStates(transaction, scope, now);
  return result;
}

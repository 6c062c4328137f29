import type { Knex } from "knex";
import { selectRow } from "../../db/rows.ts";
import { RAW_HOURS } from "../../servers/history/levels.ts";
import type { FieldError } from "./records/json-values.ts";
import { createRecordReader } from "./records/record-reader.ts";
import { stateDiffers, type WriteScope } from "./storage/comparison.ts";
import { createStaging, dropStaging, STAGING } from "./storage/staging.ts";
import { readClock, writeStates } from "./storage/write-queries.ts";

/** Fields of a measurement as it is sent; all may be missing, but it must tell something. */
const MEASUREMENT_FIELDS = ["checked_at", "status", "online", "queue", "max_online"] as const;

/**
 * What became of a measurement: `stored`; `unchanged`: it was known; `outdated`: a later one was known, so that it is
 * left out of state and history.
 */
export const MEASUREMENT_RESULTS = ["stored", "unchanged", "outdated"] as const;
type MeasurementResult = (typeof MEASUREMENT_RESULTS)[number];

/** An error of one of several measurements, by its place among them. */
export interface MeasurementError extends FieldError {
  readonly place: number;
}

export type StoredMeasurements =
  | { readonly results: readonly { readonly checkedAt: string; readonly result: MeasurementResult }[] }
  | { readonly errors: readonly MeasurementError[] }
  | "no such server"
  /** True if the poller polls it. */
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
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return at([{ field: "", reason: "must be an object" }]);
  const names: readonly string[] = MEASUREMENT_FIELDS;
  const strangers = Object.keys(given).filter((field) => !names.includes(field));
  const reader = createRecordReader("servers", {});
  const { row, errors = [] } = reader.read({ ...given, id, name });
  const unknown = strangers.map((field) => ({ field, reason: `is not one of ${names.join(", ")}` }));
  if (!row || unknown.length > 0)
    return at([...unknown, ...errors.filter(({ field }) => names.includes(field))]);
  if (row.status === null)
    return at([{ field: "status", reason: "is missing, and so are online and queue" }]);
  const checkedAt = (row.checked_at as string | null) ?? "";
  if (checkedAt !== "" && Date.parse(checkedAt) < Date.now() - RAW_HOURS * 3_600_000)
    return at([{ field: "checked_at", reason: `is more than ${RAW_HOURS} hours ago` }]);
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
    if (checkedAt === "") return [{ place, field: "checked_at", reason: "is missing" }];
    return isRepeated ? [{ place, field: "checked_at", reason: "repeats that of another measurement" }] : [];
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

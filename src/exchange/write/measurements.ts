import { z } from "zod";
import { type Endpoint, endpoint } from "../../web/api/endpoint.ts";
import { badInput, HttpError, notFound } from "../../web/pages/errors.ts";
import { id } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import {
  MEASUREMENT_RESULTS,
  type MeasurementError,
  type StoredMeasurements,
  storeMeasurements,
} from "../import/measurements.ts";
import { readKindName } from "../read/kinds.ts";
import { readObject } from "./bodies.ts";

/** Measurements that one call has at most. */
const MEASUREMENTS_AT_MOST = 100;
const BYTES_AT_MOST = 64 * 1024;

const count = z.int().min(0).nullable().optional();
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
  return endpoint({
    method: "POST",
    path: "/api/servers/{id}/measurements",
    operationId: "postMeasurements",
    ofKind: { kind: "servers", name: (t) => readKindName("servers", t) },
    access: "write:servers",
    input: z.object({ id: id() }),
    output: answer,
    handle: async (): Promise<never> => {
      throw new Error("a write answers by itself");
    },
    own: {
      body: {
        types: ["application/json"],
        bytesAtMost: BYTES_AT_MOST,
        schema: body,
      },
      example: exampleOf,
      answers: { 200: { meaning: "The result of each measurement.", hasBody: true } },
      problems: [
        ...(["badInput", "forbidden", "notFound", "conflict"] as const),
        ...(["payloadTooLarge", "unsupportedMediaType"] as const),
      ],
      requestHeaders: {},
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

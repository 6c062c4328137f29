import { z } from "zod";
import { id, oneOf } from "../web/request/params.ts";
import { RANGE_NAMES, RANGES } from "./history/ranges.ts";
import { STATUSES } from "./queries.ts";

const count = z.int().min(0).nullable();
const share = z.number().min(0).max(1).nullable();
const time = z.iso.datetime().nullable();

const currentFigures = {
  server_id: z.string(),
  online: count.meta({ description: "null unless the server is online and tells." }),
  bots: count.meta({
    description:
      "Null if the server does not report it. Not part of `online`, unless the server’s adapter options say so.",
  }),
  queue: count.meta({ description: "Null if the server does not report it; 0 if nobody is queuing." }),
  max_online: count,
  status: z.enum(STATUSES).meta({ description: "unknown: not measured yet, or not for 15 minutes." }),
  checked_at: time.meta({ description: "When these figures were measured." }),
};

const generatedAt = time.meta({
  description: "Time of the newest record in the answer; null where there is none.",
});

export const onlineOutput = z.object({
  generated_at: generatedAt,
  servers: z.array(z.object({ ...currentFigures, last_online_at: time }).meta({ id: "ServerState" })),
});

export const dataInput = z.object({
  range: oneOf(RANGE_NAMES).optional(),
  server_id: id().optional(),
});

const column = z.array(count);
const INTERVALS = RANGE_NAMES.map((range) => RANGES[range].intervalS);

const serverWithHistory = z
  .object({
    ...currentFigures,
    name: z.string(),
    game: z.string().nullable(),
    address: z.string().nullable(),
    url: z.string().meta({ description: "Its page on this site." }),
    website: z.string().nullable().meta({ description: "Its own site." }),
    position: z.int().min(1).meta({ description: "The position in the default order." }),
    peak_24h: count
      .optional()
      .meta({ description: "Highest known value of `history.online`; of 24 hours only." }),
    average_24h: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Mean of the known values of `history.online`; of 24 hours only." }),
    uptime_24h: share.optional().meta({
      description:
        "Share of the buckets with a known state in which any poll found the server online; of 24 hours only.",
    }),
    peak: count.optional().meta({ description: "Highest of all counts of the range; with `range` only." }),
    average: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Mean of all counts of the range; with `range` only." }),
    uptime: share.optional().meta({
      description: "Share of the polls with a known state that found the server online; with `range` only.",
    }),
    history: z
      .object({
        online: column,
        online_min: column.optional().meta({ description: "Lowest count of the bucket; with `range` only." }),
        online_max: column
          .optional()
          .meta({ description: "Highest count of the bucket; with `range` only." }),
        queue: column,
      })
      .meta({
        description:
          "One value for each of `times`: the mean of what was measured in that bucket, rounded half up; null where " +
          "nothing was measured or the server was offline.",
      }),
  })
  .meta({ id: "ServerWithHistory" });

export const dataOutput = z.object({
  generated_at: generatedAt,
  range: z.enum(RANGE_NAMES).optional().meta({ description: "As it was asked for; else missing." }),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  interval_s: z.literal(INTERVALS).meta({ description: "300 unless a range was asked for." }),
  times: z.array(z.int()).meta({
    description: "Starts of the buckets in epoch seconds; the last bucket is the one that runs now.",
  }),
  servers: z.array(serverWithHistory),
});

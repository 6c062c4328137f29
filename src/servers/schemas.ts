import { z } from "zod";
import { BUCKETS, INTERVAL_S } from "./history.ts";
import { STATUSES } from "./queries.ts";

const count = z.int().min(0).nullable();
const time = z.iso.datetime().nullable();

const currentFigures = {
  server_id: z.string(),
  online: count.meta({ description: "null unless the server is online and tells." }),
  queue: count.meta({ description: "null: the server does not tell; 0: nobody waits." }),
  max_online: count,
  status: z.enum(STATUSES).meta({ description: "unknown: not measured yet." }),
  checked_at: time.meta({ description: "When these figures were measured." }),
};

const generatedAt = time.meta({
  description: "Time of the newest record in the answer; null where there is none.",
});

export const onlineOutput = z.object({
  generated_at: generatedAt,
  servers: z.array(z.object({ ...currentFigures, last_online_at: time }).meta({ id: "ServerState" })),
});

const column = z.array(count).length(BUCKETS);

const serverWithHistory = z
  .object({
    ...currentFigures,
    name: z.string(),
    game: z.string().nullable(),
    address: z.string().nullable(),
    url: z.string().nullable(),
    position: z.int().min(1).meta({ description: "Place in the default order." }),
    peak_24h: count.meta({ description: "Highest known value of `history.online`." }),
    average_24h: z.number().nullable().meta({ description: "Mean of the known values of `history.online`." }),
    uptime_24h: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: "Share of the buckets with a known state in which the server was up." }),
    history: z.object({ online: column, queue: column }).meta({
      description:
        "One value for each of `times`: the mean of what was measured in that bucket, rounded half up; null where " +
        "nothing was measured or the server was offline.",
    }),
  })
  .meta({ id: "ServerWithHistory" });

export const dataOutput = z.object({
  generated_at: generatedAt,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  interval_s: z.literal(INTERVAL_S),
  times: z.array(z.int()).length(BUCKETS).meta({
    description: "Starts of the buckets in epoch seconds; the last bucket is the one that runs now.",
  }),
  servers: z.array(serverWithHistory),
});

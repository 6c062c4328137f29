import { z } from "zod";
import { wholeNumber } from "./values.ts";

/** The settings of metrics; without a token and a port nothing is measured. */
export const metricsSettings = {
  METRICS_PORT: wholeNumber(1, 65_535).optional().meta({
    description: "The port where each process serves `/metrics` for Prometheus ([metrics.md](metrics.md)).",
  }),
  METRICS_HOST: z.string().default("127.0.0.1").meta({
    accepts: "an address",
    description: "The address that `METRICS_PORT` listens on.",
  }),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/, "must be at least 16 characters without spaces")
    .optional()
    .meta({
      accepts: "at least 16 characters without spaces",
      description: "Lets whoever sends it read `/metrics` on the site's port.",
      isSecret: true,
    }),
};

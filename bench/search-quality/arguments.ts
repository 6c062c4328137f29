import { parseArgs } from "node:util";

export interface Call {
  kind: string;
  /** The seeds of the runs, one after the other. */
  seeds: number[];
  perClass: number;
  /** Draw names of these languages only. */
  languages: string[] | undefined;
  /** A site that runs already, over the same database. */
  url: string | undefined;
  /** Classes whose names begin with one of these. */
  only: string[] | undefined;
  /** A file of queries to ask instead: a JSON list of `{ "typed": …, "meant": a name }`. */
  queries: string | undefined;
  /** Leaves out the peers, for quick tries. */
  alone: boolean;
  misses: number;
  json: boolean;
  strict: boolean;
}

const KINDS = ["items", "vehicles", "scripts"];

/** @throws TypeError for options that do not exist, RangeError for values that make no sense */
export function parseCall(args: string[]): Call {
  const { values } = parseArgs({
    args,
    options: {
      kind: { type: "string", default: "items" },
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "1" },
      "per-class": { type: "string", default: "300" },
      languages: { type: "string" },
      url: { type: "string" },
      queries: { type: "string" },
      only: { type: "string", multiple: true },
      alone: { type: "boolean", default: false },
      misses: { type: "string", default: "0" },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
    },
  });
  const { kind, url, only, queries, alone, json, strict } = values;
  if (!KINDS.includes(kind)) throw new RangeError(`--kind must be one of ${KINDS.join(", ")}`);
  const first = wholeNumber("seed", values.seed);
  const seeds = Array.from({ length: wholeNumber("seeds", values.seeds) }, (_, index) => first + index);
  return {
    kind,
    seeds,
    perClass: wholeNumber("per-class", values["per-class"]),
    languages: values.languages?.split(","),
    url: url?.replace(/\/$/, ""),
    only,
    queries,
    alone,
    misses: wholeNumber("misses", values.misses),
    json,
    strict,
  };
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new RangeError(`--${option} must be a whole number`);
  return Number(text);
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Seconds. A cached response takes a tenth of the first, and the timeout of a request is near the last. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The metrics of one process, for Prometheus (https://prometheus.io/docs/practices/naming/). docs/metrics.md lists
 * all of them. Gauges of the database are read at each request.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #readers: (() => Promise<void> | void)[] = [];

  readonly requests = new Counter({
    name: "almanac_http_requests_total",
    help: "Requests by route and status; status aborted: the client left first",
    labelNames: ["method", "route", "status"],
    registers: [this.registry],
  });

  readonly durations = new Histogram({
    name: "almanac_http_request_duration_seconds",
    help: "From the head of a request to the end of its answer",
    labelNames: ["method", "route"],
    buckets: DURATIONS,
    registers: [this.registry],
  });

  readonly runs = new Counter({
    name: "almanac_background_runs_total",
    help: "Runs of recurring work; outcome: done or failed",
    labelNames: ["loop", "outcome"],
    registers: [this.registry],
  });

  readonly lastRuns = this.gauge("almanac_background_last_done_timestamp_seconds", "When it was last done", [
    "loop",
  ]);

  readonly mails = new Counter({
    name: "almanac_mails_total",
    help: "Attempts to hand over an e-mail; outcome: sent, refused or failed",
    labelNames: ["outcome"],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    const info = this.gauge("almanac_info", "The versions that run", ["node"]);
    info.set({ node: process.versions.node }, 1);
  }

  gauge<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /** Calls `read` before each response to set gauges; it must not fail. */
  onRead(read: () => Promise<void> | void): void {
    this.#readers.push(read);
  }

  /** All metrics as text, see `registry.contentType`. */
  async read(): Promise<string> {
    await Promise.all(this.#readers.map((read) => read()));
    return this.registry.metrics();
  }

  /** Records the outcome of a run of a recurring task. */
  noteRun(loop: string, isDone: boolean): void {
    this.runs.inc({ loop, outcome: isDone ? "done" : "failed" });
    if (isDone) this.lastRuns.set({ loop }, Date.now() / 1000);
  }
}

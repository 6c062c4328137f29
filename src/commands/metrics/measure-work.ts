import type { Knex } from "knex";
import type { Gauge } from "prom-client";
import { readQueueState } from "../../db/jobs.ts";
import { withTimeout } from "../../db/running-time.ts";
import type { Metrics } from "../../web/metrics/metrics.ts";
import { countOpenDeliveries, countPolledServers, readDatabaseSize } from "./queries.ts";

/** Below the ten seconds that Prometheus waits by default. */
const PATIENCE_MS = 3_000;

/**
 * Reads from the database what all processes of a site have in common: jobs, deliveries, the poller. While it does not
 * answer, `almanac_database_up` is 0 and these are left out, since old figures would look like news.
 */
export function measureWork(metrics: Metrics, db: Knex): void {
  const up = metrics.gauge("almanac_database_up", "1 while the database answers");
  const gauges = {
    size: metrics.gauge("almanac_database_size_bytes", "The database on disk"),
    due: metrics.gauge("almanac_jobs_due", "Jobs that are due and not taken yet"),
    late: metrics.gauge("almanac_jobs_late_seconds", "How long the oldest of them has been due"),
    givenUp: metrics.gauge("almanac_jobs_given_up", "Jobs given up within a week"),
    deliveries: metrics.gauge(
      "almanac_deliveries",
      "Messages to users; state: waiting, or dead after all attempts",
      ["channel", "state"],
    ),
    servers: metrics.gauge("almanac_polled_servers", "Servers that are polled, by status", ["status"]),
    lastPoll: metrics.gauge("almanac_last_poll_timestamp_seconds", "When a server was polled last"),
  };
  const read = async () => {
    const [queue, deliveries, servers, size] = await Promise.all([
      readQueueState(db),
      countOpenDeliveries(db),
      countPolledServers(db),
      readDatabaseSize(db),
    ]);
    for (const gauge of Object.values(gauges)) forget(gauge);
    up.set(1);
    gauges.size.set(size);
    gauges.due.set(queue.due);
    gauges.late.set(queue.lateS);
    gauges.givenUp.set(queue.givenUp);
    for (const { channel, state, count } of deliveries) gauges.deliveries.set({ channel, state }, count);
    for (const { status, count } of servers) gauges.servers.set({ status: status ?? "unknown" }, count);
    const polls = servers.flatMap(({ lastPoll }) => lastPoll?.getTime() ?? []);
    if (polls.length > 0) gauges.lastPoll.set(Math.max(...polls) / 1000);
  };
  metrics.onRead(async () => {
    try {
      await withTimeout(PATIENCE_MS, read());
    } catch {
      up.set(0);
      for (const gauge of Object.values(gauges)) forget(gauge);
    }
  });
}

/** Removes all series; `reset` alone leaves a 0 for metrics without labels. */
function forget(gauge: Gauge<string>): void {
  gauge.reset();
  gauge.remove({});
}

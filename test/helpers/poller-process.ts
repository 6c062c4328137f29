import { pino } from "pino";
import { createDb } from "../../src/db/connect.ts";
import { startPoller } from "../../src/servers/poller/poll.ts";
import { LOOPBACK } from "./egress.ts";

/**
 * A process that polls as `poll` does, but more often than that may, for tests that have no minutes. Arguments: the
 * database's URL, the interval in milliseconds. Ends by being killed.
 */
const [url = "", intervalMs = ""] = process.argv.slice(2);
startPoller({
  db: createDb({ url }),
  log: pino({ level: "error" }, pino.destination(2)),
  intervalMs: Number(intervalMs),
  egress: LOOPBACK,
});

import { pino } from "pino";
import { startBackground } from "../../src/commands/jobs/background.ts";
import { createDb } from "../../src/db/connect.ts";
import { startPoller } from "../../src/servers/poller/poll.ts";
import { LOOPBACK, openOnly } from "./egress.ts";
import { PATIENT } from "./patience.ts";

/**
 * A process that polls and does the background work as `serve` does. It takes over the jobs of dead processes after eight
 * seconds instead of half a minute, and polls every three seconds. It prints a line once it works, and runs until it is killed.
 * Arguments: the URLs of the database and the mail server, its name, which is in its own address, and the origin of the
 * receiver of webhooks.
 */
const [url = "", smtp = "", name = "", receiver = ""] = process.argv.slice(2);
// The poller loads them later, and reports nothing meanwhile: its jobs would be taken over.
await import("../../src/servers/poller/adapters.ts");
const db = createDb({ url, ...PATIENT });
const log = pino({ level: "error" }, pino.destination(2));
startPoller({ db, log, intervalMs: 3_000, egress: LOOPBACK });
startBackground({
  db,
  log,
  silence: { beatMs: 200, silentS: 8 },
  config: {
    siteName: "Almanac",
    baseUrl: `https://${name}.almanac.test`,
    sessionSecret: "a session secret that only tests know",
    mail: { kind: "smtp", url: smtp },
    mailFrom: undefined,
    imageHosts: [],
    pushServices: [],
    privateAddresses: openOnly(receiver).opened,
    indexNowEndpoint: undefined,
  },
});
process.stdout.write("Working\n");

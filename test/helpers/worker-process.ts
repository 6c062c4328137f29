import { pino } from "pino";
import { startBackground } from "../../src/commands/jobs/background.ts";
import { createDb } from "../../src/db/connect.ts";
import { openOnly } from "./egress.ts";

/**
 * A process that does the background work as `worker` does, but takes over the jobs of dead ones after two seconds
 * instead of half a minute. Arguments: the database's URL, the mail server's; for webhooks also its name, which these
 * contain, and the origin of their receiver. It runs until it is killed.
 */
const [url = "", smtp = "", name = "", receiver] = process.argv.slice(2);
startBackground({
  db: createDb({ url }),
  log: pino({ level: "error" }, pino.destination(2)),
  silence: { beatMs: 200, silentS: 2 },
  config: {
    siteName: "Almanac",
    baseUrl: name === "" ? "https://almanac.test" : `https://${name}.almanac.test`,
    sessionSecret: "a session secret that only tests know",
    mail: { kind: "smtp", url: smtp },
    mailFrom: undefined,
    imageHosts: [],
    pushServices: [],
    privateAddresses: receiver === undefined ? [] : openOnly(receiver).opened,
    indexNowEndpoint: undefined,
  },
});

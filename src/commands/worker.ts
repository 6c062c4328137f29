import { parseArgs } from "node:util";
import { pino } from "pino";
import { requireMigrated } from "../db/open.ts";
import { backgroundLoops } from "../jobs/background.ts";
import { startLoops } from "../jobs/loop.ts";
import type { Command } from "./command.ts";
import { stopSignal } from "./stop-signal.ts";

export const workerCommand: Command = {
  name: "worker",
  summary: "Run the background work in a process of its own",
  usage: `
Usage: npm run -s almanac -- worker

Notices of discounts that became active, removal of expired sessions. "serve" does the same beside the site; several
processes may do it at once, and still every user is told of a discount once.
`,
  async run(args, context) {
    parseArgs({ args, options: {} });
    const db = await context.db();
    await requireMigrated(db);
    const loops = startLoops(
      backgroundLoops(db),
      pino({ level: context.config.logLevel }, pino.destination(2)),
    );
    context.err("Working; stop with Ctrl-C.");
    await stopSignal(() => process.exit(130));
    await loops.stop();
    return 0;
  },
};

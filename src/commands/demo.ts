import { parseArgs } from "node:util";
import { requireMigrated } from "../db/open.ts";
import { loadDemo, removeDemo } from "../demo/load.ts";
import { hasRealRecords } from "../demo/queries.ts";
import { UsageError } from "../usage-error.ts";
import type { Command, CommandContext } from "./command.ts";

export const demoCommand: Command = {
  name: "demo",
  summary: "Load or remove the demo data",
  usage: `
Usage: npm run -s almanac -- demo load | remove

  load    invented records of every kind; only while the site holds no record of its own
  remove  every demo record, with its favorites and history; accounts and your own records stay
`,
  async run(args, context) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
    const [action] = positionals;
    if (positionals.length !== 1 || (action !== "load" && action !== "remove")) {
      throw new UsageError("say load or remove");
    }
    return action === "load" ? load(context) : remove(context);
  },
};

async function load({ db, out, err }: CommandContext): Promise<number> {
  const database = await db();
  await requireMigrated(database);
  if (await hasRealRecords(database)) {
    err("Not loaded: the site holds records of its own, and demo records would mix with them.");
    return 1;
  }
  const login = await database.transaction((transaction) => loadDemo(transaction));
  out("Demo data loaded.");
  if (login) out(`Log in: ${login.name} with the password ${login.password} (shown only this once)`);
  return 0;
}

async function remove({ db, out }: CommandContext): Promise<number> {
  const database = await db();
  await requireMigrated(database);
  for (const [table, count] of Object.entries(await removeDemo(database)))
    out(`${table.padEnd(14)}${count} removed`);
  return 0;
}

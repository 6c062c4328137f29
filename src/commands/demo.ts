import { requireMigrated } from "../db/open.ts";
import { hasRealRecords, removeDemo } from "../records/demo-records.ts";
import { createPictureStore } from "../records/pictures/store.ts";
import { readSiteVocabulary } from "../words/vocabulary/live.ts";
import { type Call, Command, makesDatabase } from "./command.ts";
import { loadDemo } from "./demo/load.ts";
import { prepareOwnKinds } from "./prepare-own-kinds.ts";

export const demoCommand = new Command("demo").needsSubcommand(() => "say load or remove");

demoCommand
  .command("load")
  .description("Load invented records of every kind; only while the site holds no record of its own")
  .addOption(makesDatabase())
  .does(load);

demoCommand
  .command("remove")
  .description("Remove every demo record, with its favorites and history; accounts and your own records stay")
  .does(remove);

async function load({ options, context: { config, db, out, err } }: Call<{ yes?: true }>): Promise<number> {
  const database = await db({ create: options.yes ?? false });
  await requireMigrated(database);
  // The operator's own entries are records of the site too.
  await prepareOwnKinds(readSiteVocabulary(config.siteSchema), database, err);
  if (await hasRealRecords(database)) {
    err("Not loaded: the site holds records of its own, and demo records would mix with them.");
    return 1;
  }
  const login = await database.transaction((transaction) =>
    loadDemo(transaction, { createStore: createPictureStore.bind(null, config) }),
  );
  out("Demo data loaded.");
  if (login) out(`Log in: ${login.name} with the password ${login.password} (shown only this once)`);
  return 0;
}

async function remove({ context: { db, out } }: Call): Promise<number> {
  const database = await db();
  await requireMigrated(database);
  for (const [table, count] of Object.entries(await database.transaction(removeDemo)))
    out(`${table.padEnd(14)}${count} removed`);
  return 0;
}

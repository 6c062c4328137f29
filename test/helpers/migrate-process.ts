import { createDb } from "../../src/db/connect.ts";
import { migrate } from "../../src/db/migrate.ts";

/** A process that migrates, for tests of several at once. Arguments: the database's URL, the directory. */
const [url = "", directory = ""] = process.argv.slice(2);
const db = createDb({ url });
const names = await migrate(db, { directory }).finally(() => db.destroy());
process.stdout.write(JSON.stringify(names));

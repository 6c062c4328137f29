import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/db/embedded/start.ts";

/**
 * A process that starts the embedded Postgres of a directory, as the site does, for tests that kill it. It prints one
 * JSON line for each event. Arguments: the directory; what to do then: `hold` it, `write` rows without end, or
 * `leave` without stopping it; the package of the programs, if not the installed one. SIGINT makes it finish its work on the database, as a drain does, and stop it.
 */
const [directory = "", task = "hold", packageRoot] = process.argv.slice(2);
const tell = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

const server = await startEmbeddedPostgres({ directory, packageRoot, log: (line) => tell({ line }) }).catch(
  (error: Error) => {
    tell({ error: error.message, name: error.name });
    process.exit(1);
  },
);
const client = new pg.Client({ connectionString: server.url });
await client.connect();
tell({ url: server.url, adopted: server.adopted });

if (task === "leave") {
  await client.end();
} else {
  process.once("SIGINT", drain);
  if (task === "write") await writeRows();
  else setInterval(() => undefined, 60_000);
}

async function writeRows(): Promise<never> {
  await client.query("create table if not exists written (number integer)");
  for (let number = 1; ; number++) {
    await client.query("insert into written values ($1)", [number]);
    tell({ written: number });
  }
}

async function drain(): Promise<void> {
  await delay(300);
  const { rows } = await client.query("select 'still there' as answer");
  tell({ afterSignal: rows[0].answer });
  await client.end();
  await server.stop();
  tell({ stopped: true });
  process.exit(0);
}

import { pino } from "pino";
import { Snapshots } from "../../src/search/snapshot/snapshots.ts";
import { builtIndex } from "./built-index.ts";

/**
 * A process that writes indexes into a folder until it is killed. Arguments: the folder, a word of all names, and the
 * number of records, if it is to write only once; what the log says goes to standard output.
 */
const [directory = "", word = "", once] = process.argv.slice(2);
const log = pino({ level: "info" }, { write: (line: string) => process.stdout.write(line) });
const snapshots = new Snapshots({ directory, log });
const index = builtIndex(Number(once ?? 5_000), word);
process.stdout.write("begins\n");
do {
  snapshots.write("items", index);
  await snapshots.settled();
} while (once === undefined);

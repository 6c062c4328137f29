import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "../settings/config.ts";
import { withoutPassword } from "../settings/secrets.ts";
import { paths } from "../words/urls.ts";
import { isAlive } from "./embedded/postmaster.ts";
import { DatabaseSetupError } from "./failures.ts";

/** The site that runs on a data directory with its embedded database. */
export interface RunningSite {
  readonly url: string;
  /** The process that keeps the port. */
  readonly pid: number;
}

/** A site that was started from this clone. */
interface KnownSite {
  readonly dataDir: string;
  /** An external database, without its password. */
  readonly database?: string | undefined;
}

type SiteStorage = Pick<Config, "dataDir" | "databaseUrl">;

const ANSWER_MS = 2_000;

/** In the data directory, so that "status" finds the site on any port. */
const runningFile = ({ dataDir }: Pick<Config, "dataDir">) => path.join(dataDir, "running.json");

/** In the clone, which npm makes the working directory, for commands that run without the settings of their site. */
const sitesFile = (clone: string) => path.join(clone, "node_modules/.cache/almanac-sites.json");
const SITES_KEPT = 10;

/** Stores where a site runs, for commands. */
export function announceSite(
  { dataDir, databaseUrl }: SiteStorage,
  running: RunningSite,
  clone = process.cwd(),
): void {
  if (databaseUrl === undefined) writeJson(runningFile({ dataDir }), running);
  if (!existsSync(path.join(clone, "node_modules"))) return;
  const database = databaseUrl && withoutPassword(databaseUrl);
  const others = readSites(clone).filter((site) => site.dataDir !== dataDir || site.database !== database);
  try {
    writeJson(sitesFile(clone), [{ dataDir, database }, ...others].slice(0, SITES_KEPT));
  } catch {
    // The clone may belong to another user than the site's.
  }
}

/** The site that runs on the embedded database of a data directory. */
export async function findRunningSite(place: Pick<Config, "dataDir">): Promise<RunningSite | undefined> {
  const site = readJson<RunningSite>(runningFile(place));
  // Another process may have its id by now, so the site has to respond as well.
  if (!site || site.pid === process.pid || !isAlive(site.pid)) return undefined;
  try {
    const answer = await fetch(site.url + paths.health(), { signal: AbortSignal.timeout(ANSWER_MS) });
    await answer.body?.cancel();
    return site;
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that a site on its embedded database is the only one: the first one to stop would stop the database of
 * both. Called before it listens, so that a response from the other's address is not its own.
 * @throws DatabaseSetupError
 */
export async function requireOnlySite(place: SiteStorage): Promise<void> {
  if (place.databaseUrl !== undefined) return;
  const site = await findRunningSite(place);
  if (!site) return;
  throw new DatabaseSetupError(
    `A site runs on ${place.dataDir} already, at ${site.url} (process ${site.pid}): stop it, or set another DATA_DIR.`,
  );
}

/** A sentence that names another site of this clone, the most recent one; "" without another. */
export async function describeOtherSite({ dataDir }: Pick<Config, "dataDir">): Promise<string> {
  const other = readSites(process.cwd()).find(
    (site) => site.dataDir !== dataDir || site.database !== undefined,
  );
  if (!other) return "";
  if (other.database !== undefined)
    return ` A site of this clone uses the database ${other.database}: DATABASE_URL in .env makes every command use it.`;
  const running = await findRunningSite(other);
  const runs = running ? ` and runs at ${running.url}` : "";
  return ` A site of this clone has its data in ${other.dataDir}${runs}: DATA_DIR=${other.dataDir} in .env makes every command use it.`;
}

/** The sites whose data still exists. */
function readSites(clone: string): KnownSite[] {
  const sites = readJson<KnownSite[]>(sitesFile(clone)) ?? [];
  return sites.filter(({ dataDir, database }) =>
    existsSync(database === undefined ? path.join(dataDir, "postgres/PG_VERSION") : dataDir),
  );
}

function readJson<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Written to another file and then renamed, because several processes may write and read it at once. */
function writeJson(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`);
  renameSync(draft, file);
}

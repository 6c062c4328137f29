// @ts-check
/**
 * The entry point. It is plain JavaScript, and main.ts is a link to it: a Node that is too old to read TypeScript gets far
 * enough to say so.
 */
import { readFileSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const oldest = engines.node.replace(">=", "");
process.exitCode = isOlder(process.versions.node, oldest) ? refuseNode() : await run();

async function run() {
  // Beside the packages, and not where Node would keep it: all users of a machine may write there.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)));
  try {
    await nameLanguages();
    // A static import would be read before the version is compared.
    const { runCli } = await import("./commands/cli.ts");
    return await runCli(process.argv.slice(2), { env: process.env, file: ".env" });
  } catch (error) {
    // A file of ours that is missing is named by its path.
    const [, name] = /Cannot find package '([^'/][^']*)'/.exec(String(error)) ?? [];
    if (name === undefined) throw error;
    return fail(`the package ${name} is not installed: run npm ci`);
  }
}

/**
 * Tells this process, its children and its threads where the operator's own languages are (src/words/i18n/languages.ts). Before
 * anything reads the languages, which modules do when they are loaded.
 */
async function nameLanguages() {
  const { addSettingsFile } = await import("./settings/sources.ts");
  const env = { ...process.env };
  try {
    addSettingsFile(env, ".env");
  } catch {
    // The command line reports the problem of the file.
  }
  process.env.ALMANAC_LANGUAGES = path.resolve(env.DATA_DIR || "./data", "languages");
}

function refuseNode() {
  return fail(
    `needs Node ${oldest} or later, and this is Node ${process.versions.node}. npm ci installs one for npm start and ` +
      "npm run -s almanac: if it did not, run it again, or install a newer Node from https://nodejs.org",
  );
}

/**
 * @param {string} version
 * @param {string} than
 */
function isOlder(version, than) {
  const [[major = 0, minor = 0], [wantedMajor = 0, wantedMinor = 0]] = [numbersOf(version), numbersOf(than)];
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

/** @param {string} version */
function numbersOf(version) {
  return version.split(".").map(Number);
}

/** @param {string} line */
function fail(line) {
  process.stderr.write(`almanac: ${line}\n`);
  return 1;
}

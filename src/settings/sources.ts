import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import leven, { closestMatch } from "leven";

/** A wrong setting. The message has one line for each, for an operator. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Settings as text, by name. */
export type Environment = Record<string, string | undefined>;

/**
 * Adds the settings of a file such as `.env` to an environment, which wins: also where it has NAME_FILE and the file NAME.
 * Returns the names that the file has.
 * @throws ConfigError where there is a file that cannot be read
 */
export function addSettingsFile(env: Environment, file: string): string[] {
  const settings = parseEnv(readFileIfThere(file).replace(/^\uFEFF/, ""));
  const inEnvironment = new Set(Object.keys(env).map(withoutFile));
  for (const [name, value] of Object.entries(settings))
    if (!inEnvironment.has(withoutFile(name))) env[name] = value;
  return Object.keys(settings);
}

const withoutFile = (name: string) => name.replace(/_FILE$/, "");

function readFileIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw new ConfigError(`file ${file}: cannot be read (${code})`);
  }
}

/** The settings that have a value, with those of files: NAME_FILE is the path of a file with the value of a secret. */
export function withSecretFiles(env: Environment, secrets: readonly string[]): Environment {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  for (const name of secrets) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined)
      throw new ConfigError(`${name}: also given by ${name}_FILE; keep one of the two`);
    given[name] = readSecret(`${name}_FILE`, file);
  }
  return given;
}

function readSecret(name: string, file: string): string {
  try {
    const text = readFileSync(file, "utf8").trim();
    if (text !== "") return text;
  } catch (error) {
    throw new ConfigError(`${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new ConfigError(`${name}: ${file} is empty`);
}

/**
 * The setting that a name was probably meant to be. A file of settings is written for the site, so two wrong letters are
 * enough. The environment also holds what other programs understand (WORKERS, BASE_URI), so there only letters in the wrong
 * order or one that is missing count.
 */
export function meantSetting(
  name: string,
  known: readonly string[],
  isFromFile: boolean,
): string | undefined {
  const setting = closestMatch(name, known, { maxDistance: 2 });
  if (setting === undefined || setting === name) return undefined;
  const distance = leven(name, setting);
  const isMeant = isFromFile
    ? distance <= (setting.length < LONG ? 1 : 2)
    : distance === 1 && name.length < setting.length;
  return isMeant || isSwap(name, setting) ? setting : undefined;
}

/** Shorter names are two letters from other words: HOST and HOME. */
const LONG = 6;

/** Whether two neighbouring letters are in the wrong order, which are two edits. */
function isSwap(name: string, setting: string): boolean {
  if (name.length !== setting.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== setting[index]);
  const swapped = `${setting.slice(0, at)}${setting[at + 1]}${setting[at]}${setting.slice(at + 2)}`;
  return at >= 0 && name === swapped;
}

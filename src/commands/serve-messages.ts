import type { Logger } from "pino";
import type { Config } from "../settings/config.ts";
import { LANGUAGES } from "../words/i18n/languages.ts";
import { missingTexts } from "../words/i18n/translate.ts";

/** Missing texts that the log names. */
const NAMED = 20;

/** An operator's own language may lack texts of a new version. */
export function warnOfTexts(log: Logger): void {
  for (const language of LANGUAGES) {
    const missing = missingTexts(language);
    if (missing.length === 0) continue;
    const named = { language, count: missing.length, missing: missing.slice(0, NAMED) };
    log.warn(named, "texts are missing and shown in English; doctor names all");
  }
}

/** The message of `serve` once it answers. */
export function welcome(config: Config, url: string, adopted: boolean): string[] {
  const database = config.databaseUrl === undefined ? "embedded Postgres" : "Postgres at DATABASE_URL";
  const shared = adopted ? ", run by another process on this directory" : "";
  return [
    `${config.siteName} is at ${config.baseUrl ?? url}${config.baseUrl ? ` (listening on ${url})` : ""}`,
    `Data:   ${config.dataDir} (${database}${shared})`,
    "Stop:   Ctrl-C",
  ];
}

/** For a site without demo data, which nobody can manage yet. */
export const FIRST_OPERATOR =
  "There is no operator yet; to make one: npm run -s almanac -- user create <name> --operator";

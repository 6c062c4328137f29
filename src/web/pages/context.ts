import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Config } from "../../settings/config.ts";
import type { StorableConfig } from "../../settings/stored.ts";
import type { LiveVocabulary } from "../../words/vocabulary/live.ts";
import type { Assets } from "../assets/build.ts";
import type { Sessions } from "../session/session.ts";

/** The settings for requests, with defaults filled in. */
export type AppConfig = Pick<
  Config,
  | "imageHosts"
  | "limits"
  | "sessionDays"
  | "sessionIdleDays"
  | "trustProxy"
  | "pushServices"
  | "indexNowEndpoint"
> &
  StorableConfig & {
    metrics?: Config["metrics"];
    baseUrl: string;
    sessionSecret: string;
  };

/**
 * The context that every feature's router may need. One that needs more declares it: `BaseContext & { search:
 * LiveSearch }`.
 */
export interface BaseContext {
  assets: Assets;
  config: AppConfig;
  db: Knex;
  /** With a longer statement timeout, for the few queries that read a whole table. */
  slowQueryDb: Knex;
  log: Logger;
  sessions: Sessions;
  vocabulary: LiveVocabulary;
}

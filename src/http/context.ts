import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Assets } from "../assets/build.ts";
import type { Config } from "../config.ts";
import type { Sessions } from "./session.ts";

/** The settings that answering requests depends on; what the configuration may leave open is resolved here. */
export type AppConfig = Pick<
  Config,
  | "siteName"
  | "look"
  | "imageHosts"
  | "sessionDays"
  | "sessionIdleDays"
  | "trustProxy"
  | "mail"
  | "pushServices"
> & {
  baseUrl: string;
  sessionSecret: string;
};

/** What every feature's router is made from; features add what they offer to others (`search`). */
export interface AppContext {
  assets: Assets;
  config: AppConfig;
  db: Knex;
  /** For the few queries that look at a whole table: statements may take longer than any page would. */
  patientDb: Knex;
  log: Logger;
  sessions: Sessions;
}

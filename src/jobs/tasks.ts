import type { Knex } from "knex";
import type { Logger } from "pino";
import { accountMailTasks } from "../accounts/mail-tasks.ts";
import type { Config } from "../config.ts";
import type { Tasks } from "../db/jobs.ts";
import type { Mailer } from "../mail/mail.ts";
import { channelTasks } from "../notifications/tasks.ts";
import { tellingTasks } from "../notifications/telling.ts";

/** The settings that jobs depend on; what the configuration may leave open is resolved here. */
export type JobsConfig = Pick<Config, "siteName" | "mail" | "mailFrom" | "pushServices"> & {
  baseUrl: string;
  /** Signs the links of mails. */
  sessionSecret: string;
};

/** What the tasks of every feature are made from. */
export interface TaskContext {
  readonly db: Knex;
  readonly log: Logger;
  readonly config: JobsConfig;
  /** undefined: this process sends no mail, and leaves the jobs that do to others. */
  readonly mailer: Mailer | undefined;
}

/** Everything that jobs do, by the names under which they are added. Each feature brings its own. */
export function allTasks({ db, log, config, mailer }: TaskContext): Tasks {
  const { siteName: name, baseUrl, sessionSecret: secret } = config;
  const site = { name, baseUrl, secret };
  return {
    ...tellingTasks({ db }),
    ...channelTasks({ db, log, site, mailer, config }),
    ...(mailer && accountMailTasks({ db, mailer, site, log })),
  };
}

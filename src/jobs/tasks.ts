import type { Knex } from "knex";
import type { Logger } from "pino";
import { accountMailTasks } from "../accounts/mail-tasks.ts";
import type { Config } from "../config.ts";
import type { Tasks } from "../db/jobs.ts";
import type { Mailer } from "../mail/mailer.ts";
import { deliveryTasks, type Sender } from "../notifications/deliveries.ts";
import { digestTasks } from "../notifications/digest.ts";
import { createEmailSender } from "../notifications/email.ts";
import { createPushSender } from "../notifications/push.ts";
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
  /** undefined: this process sends no mail. */
  readonly mailer: Mailer | undefined;
}

/** Everything that jobs do, by the names under which they are added. Each feature brings its own. */
export function allTasks({ db, log, config, mailer }: TaskContext): Tasks {
  const { siteName: name, baseUrl, sessionSecret: secret, pushServices } = config;
  const site = { name, baseUrl, secret };
  const senders = {
    email: mailer ? createEmailSender(mailer, site) : sendNoMail,
    push: createPushSender({ db, site, pushServices }),
  };
  return {
    ...tellingTasks({ db }),
    ...deliveryTasks({ db, senders }),
    ...digestTasks({ db, mailer, site, log }),
    ...accountMailTasks({ db, mailer, site, log }),
  };
}

/** Where some processes can send and others cannot, another attempt may find one that can. */
const sendNoMail: Sender = async () => {
  throw new Error("this process sends no mail: SMTP_URL is not set");
};

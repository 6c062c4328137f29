import { Logger, runOnce, type TaskList } from "graphile-worker";
import type pg from "pg";
import { pino } from "pino";
import PostalMime, { type Email } from "postal-mime";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { accountMailTasks } from "../../src/accounts/mail-tasks.ts";
import { createPgPool } from "../../src/db/connect.ts";
import { QUEUE_SCHEMA } from "../../src/db/jobs.ts";
import type { Mailer } from "../../src/notifications/mail/mail.ts";
import { createMailer } from "../../src/notifications/mail/mailer.ts";
import { TEST_CONFIG, type TestApp } from "./app.ts";
import { type SmtpPeer, startSmtpPeer } from "./peers/smtp.ts";

/** For a site under test that sends mail: it only has to know that; what sends is `useAccountMail`. */
export const SENDS_MAIL = { mail: { kind: "smtp", url: "smtp://127.0.0.1:1" } } as const;

interface ArrivedMail extends Email {
  /** Who it came to. */
  recipient: string;
  /** Paths of the links to pages of the site in the text, in their order. */
  links: string[];
}

export interface AccountMail {
  readonly smtp: SmtpPeer;
  /** Runs every job of accounts' mails that is due, by the real queue; what arrived meanwhile. */
  deliver(): Promise<ArrivedMail[]>;
  /** The jobs that wait, also those that have failed before. */
  jobs(): Promise<{ task: string; payload: unknown; attempts: number }[]>;
}

/** The mails of accounts, through the queue and a mail server on loopback. The queue is empty after each test. */
export function useAccountMail(site: TestApp): AccountMail {
  const log = pino({ level: "silent" });
  let smtp: SmtpPeer;
  let mailer: Mailer | undefined;
  let pgPool: pg.Pool;
  beforeAll(async () => {
    smtp = await startSmtpPeer();
    const { baseUrl, siteName } = TEST_CONFIG;
    const setting = { kind: "smtp", url: smtp.url() } as const;
    mailer = createMailer(setting, { from: undefined, siteName, baseUrl, log });
    pgPool = createPgPool(site.db, { max: 2 });
  });
  afterEach(async () => {
    smtp.setMood("accepts");
    await site.db.raw("delete from graphile_worker._private_jobs");
  });
  afterAll(async () => {
    await mailer?.close();
    await pgPool?.end();
    await smtp?.stop();
  });
  const taskList = (): TaskList => {
    const { baseUrl, siteName: name, sessionSecret: secret } = TEST_CONFIG;
    if (!mailer) throw new Error("the mail server is there only while tests and their hooks run");
    const tasks = accountMailTasks({ db: site.db, mailer, site: { name, baseUrl, secret }, log });
    const attempt = { number: 1, isLast: false, signal: new AbortController().signal };
    return Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, (payload) => task(payload, attempt)]),
    );
  };
  const countLockedJobs = async () => {
    const locked = site.db("graphile_worker.jobs").whereNotNull("locked_at");
    return (await locked.count({ jobs: "*" }).first())?.jobs;
  };
  return {
    get smtp() {
      return smtp;
    },
    async deliver() {
      const before = smtp.mails.length;
      const logger = new Logger(() => () => undefined);
      await runOnce({ pgPool, schema: QUEUE_SCHEMA, taskList: taskList(), logger, noHandleSignals: true });
      // The queue does not wait until it has taken the last job off.
      await expect.poll(countLockedJobs).toBe(0);
      return Promise.all(smtp.mails.slice(before).map(({ raw, to }) => parse(raw, to)));
    },
    async jobs() {
      const { rows } = await site.db.raw(
        `select job.task_identifier as task, kept.payload, job.attempts
           from graphile_worker.jobs job join graphile_worker._private_jobs kept using (id) order by id`,
      );
      return rows;
    },
  };
}

async function parse(raw: string, to: readonly string[]): Promise<ArrivedMail> {
  const mail = await PostalMime.parse(raw);
  const links = [...(mail.text ?? "").matchAll(/http:\/\/almanac\.test(\/\S+)/g)].map(
    ([, path = ""]) => path,
  );
  return { ...mail, recipient: to.join(), links };
}

/** The token at the end of a link's path. */
export function tokenOf(path: string | undefined): string {
  return path?.split("/").at(-1) ?? "";
}

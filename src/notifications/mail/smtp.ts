import type * as nodemailer from "nodemailer";
import type { NodemailerError } from "nodemailer";
import type SMTPPool from "nodemailer/lib/smtp-pool";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { explainFailure } from "./failures.ts";
import type { Mail, Mailer, MailSender } from "./mail.ts";
import { mimeMessage } from "./message.ts";

const loadNodemailer = lazyPackage<typeof nodemailer>("nodemailer");
const loadPool = lazyPackage<typeof SMTPPool>("nodemailer/lib/smtp-pool");

/** Limits in milliseconds for a server that stalls. */
export interface SmtpTimes {
  /** From the DNS look-up to the end of the greeting, STARTTLS included. */
  readonly connect: number;
  /** The longest silence in a conversation. */
  readonly silence: number;
  /** For one mail in all, including the wait for a connection, because a server may also talk endlessly. */
  readonly send: number;
  /** For mails that are being sent when the mailer closes. */
  readonly close: number;
}

const TIMES: SmtpTimes = { connect: 20_000, silence: 30_000, send: 60_000, close: 5_000 };

/** Short, because a user waits for the result of a check. */
const CHECK_TIMES = { connect: 5_000, silence: 5_000 };

/** Servers commonly allow a client ten connections or more. */
const CONNECTIONS = 5;

/** Sends by SMTP over pooled connections. */
export function smtpMailer(url: string, from: MailSender, times: Partial<SmtpTimes> = {}): Mailer {
  const limits = { ...TIMES, ...times };
  const pool = createPool(url, limits);
  const transport = loadNodemailer().createTransport(pool);
  const underWay = new Set<Promise<void>>();
  const send = async (mail: Mail) => {
    try {
      await transport.sendMail({ ...mimeMessage(mail, from), signal: AbortSignal.timeout(limits.send) });
    } catch (error) {
      throw explainFailure(error as NodemailerError, limits.send);
    }
  };
  return {
    send(mail) {
      const sending = send(mail);
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
    async close() {
      pool.close();
      await atMost(limits.close, Promise.allSettled(underWay));
      pool.close({ force: true });
    },
  };
}

/**
 * Connects and logs in as the mailer does, without sending anything.
 * @throws Error with the reason of a failure
 */
export async function checkSmtp(url: string, times: Partial<SmtpTimes> = {}): Promise<void> {
  const pool = createPool(url, { ...TIMES, ...CHECK_TIMES, ...times });
  try {
    await loadNodemailer().createTransport(pool).verify();
  } finally {
    pool.close({ force: true });
  }
}

function createPool(url: string, limits: SmtpTimes): SMTPPool {
  const Pool = loadPool();
  return new Pool({
    url,
    maxConnections: CONNECTIONS,
    // Only for a connection that the server closed before the mail; jobs make all other retries.
    maxRequeues: 1,
    ...(mustEncrypt(url) && { requireTLS: true }),
    connectionTimeout: limits.connect,
    socketTimeout: limits.silence,
  });
}

/**
 * A password is only sent encrypted to another machine: an attacker in between can remove STARTTLS from the greeting. An
 * operator who trusts the network sets `?requireTLS=false` in the address, which overrides this.
 */
function mustEncrypt(address: string): boolean {
  const { protocol, password, hostname } = new URL(address);
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === "smtp:" && password !== "" && !isHere;
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
}

import { lookup } from "node:dns/promises";
import net from "node:net";
import type * as nodemailer from "nodemailer";
import type { NodemailerError } from "nodemailer";
import type SMTPPool from "nodemailer/lib/smtp-pool";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { MailSetting } from "../../settings/mail.ts";
import { type EgressPolicy, guardedLookup } from "../../web/egress/policy.ts";
import { explainFailure } from "./failures.ts";
import type { Mail, Mailer, MailSender } from "./mail.ts";
import { mimeMessage } from "./message.ts";

const loadNodemailer = lazyPackage<typeof nodemailer>("nodemailer");
const loadPool = lazyPackage<typeof SMTPPool>("nodemailer/lib/smtp-pool");

type SmtpServer = Pick<Extract<MailSetting, { kind: "smtp" }>, "url" | "opened">;

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
export function smtpMailer(server: SmtpServer, from: MailSender, times: Partial<SmtpTimes> = {}): Mailer {
  const limits = { ...TIMES, ...times };
  const pool = createPool(server, limits);
  const transport = loadNodemailer().createTransport(pool);
  const underWay = new Set<Promise<string>>();
  const send = async (mail: Mail) => {
    try {
      const signal = AbortSignal.timeout(limits.send);
      const { response } = await transport.sendMail({ ...mimeMessage(mail, from), signal });
      return response;
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
export async function checkSmtp(server: SmtpServer, times: Partial<SmtpTimes> = {}): Promise<void> {
  const pool = createPool(server, { ...TIMES, ...CHECK_TIMES, ...times });
  try {
    await loadNodemailer().createTransport(pool).verify();
  } finally {
    pool.close({ force: true });
  }
}

function createPool({ url, opened }: SmtpServer, limits: SmtpTimes): SMTPPool {
  const Pool = loadPool();
  return new Pool({
    url,
    maxConnections: CONNECTIONS,
    // Only for a connection that the server closed before the mail; jobs make all other retries.
    maxRequeues: 1,
    ...(mustEncrypt(url) && { requireTLS: true }),
    connectionTimeout: limits.connect,
    socketTimeout: limits.silence,
    ...(opened && { getSocket: connectGuarded(new URL(url), opened, limits.connect) }),
  });
}

/** Connects to permitted addresses only: whoever chose the server need not own the machine. */
function connectGuarded(
  url: URL,
  opened: EgressPolicy["opened"],
  timeout: number,
): SMTPPool.Options["getSocket"] {
  const resolve = (host: string) => lookup(host, { all: true });
  const place = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) };
  return (_options, callback) => {
    try {
      const socket = net.connect({ ...place, lookup: guardedLookup(url, { opened }, resolve) });
      socket.setTimeout(timeout, () => socket.destroy(new Error("the mail server did not answer in time")));
      socket.once("error", (error) => callback(error, undefined));
      socket.once("connect", () => {
        socket.setTimeout(0).removeAllListeners();
        callback(null, { connection: socket });
      });
    } catch (error) {
      callback(error as Error, undefined);
    }
  };
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

import { lookup } from "node:dns/promises";
import net from "node:net";
import type { NodemailerError } from "nodemailer";
import type SMTPPool from "nodemailer/lib/smtp-pool";
import { atMost } from "../../db/running-time.ts";
import { lazyPackage } from "../../settings/lazy-package.ts";
import type { MailSetting } from "../../settings/mail.ts";
import { type EgressPolicy, guardedLookup } from "../../web/egress/policy.ts";
import { isLoopback } from "../../words/safe-urls.ts";
import type { Mail, Mailer, MailSender } from "./mail.ts";
import { loadNodemailer, mimeMessage } from "./message.ts";

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
export async function checkSmtp(server: SmtpServer): Promise<void> {
  const pool = createPool(server, { ...TIMES, ...CHECK_TIMES });
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
  return protocol === "smtp:" && password !== "" && !isLoopback(hostname);
}

/** The server refused this mail or its recipient for good; a retry cannot help. */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}

/** Commands whose replies are about this mail. MAIL FROM is not, because the operator has to fix a wrong sender. */
const ABOUT_THE_MAIL = new Set(["RCPT TO", "DATA"]);

/**
 * Enhanced status codes that refuse this recipient or this mail: no such address or domain, a malformed address, a
 * disabled mailbox, too large a mail, refused content. All others are temporary: a full mailbox or system, routing, and
 * above all the sender's quota, reputation or DNS records (5.4.5 and 5.7.x). Sources: RFC 3463, section 3, RFC 7293,
 * section 7, RFC 7505, section 5.
 */
const FINAL_STATUS = /^5\.(1\.([12346]|10)|2\.[13]|3\.4|5\.[24]|6\.\d+|7\.1[78])$/;

/**
 * Replies without an enhanced status code that refuse the recipient or the mail (RFC 5321, section 4.2.3, and RFC 7504).
 * Not 552, which also says that a mailbox is full.
 */
const FINAL_REPLY = new Set([501, 550, 551, 553, 554, 555, 556]);

/** Many servers use a final code for a temporary refusal, and say so in words. */
const SAYS_LATER = /\b(re)?try\b[^.;]{0,60}\blater\b|\btry again\b|\btemporar(y|ily)\b/i;

/** Words of replies without an enhanced status code that are about the sender: its quota, reputation or DNS records. */
const ABOUT_THE_SENDER =
  /\b(sender|sending|rate|quota|limit(s|ed)?|too many|reputation|(black|block|deny)[ -]?list(s|ed)?|unsolicited|spam|your (ip|host|domain|server)|spf|dkim|dmarc|dns(bl)?)\b/i;

/**
 * Converts a failure to MailRefusedError if it is final, otherwise to an error with a readable message. A wrong log-in,
 * a used-up quota or a server that is down are not final: the operator can fix them while the mail waits.
 */
function explainFailure(error: NodemailerError, sendMs: number): Error {
  if (isFinal(error)) return new MailRefusedError(error.message, { cause: error });
  if (error.code !== "EABORT") return error;
  return new Error(`The mail server did not take the e-mail within ${sendMs / 1000} s`, { cause: error });
}

function isFinal({ code, command = "", responseCode, response = "" }: NodemailerError): boolean {
  // Without a reply nodemailer itself refused it, for example because of an invalid address or its size.
  if (responseCode === undefined) return code === "EENVELOPE" || code === "EMESSAGE";
  if (responseCode < 500 || !ABOUT_THE_MAIL.has(command) || SAYS_LATER.test(response)) return false;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/m.exec(response)?.[1];
  if (status !== undefined) return FINAL_STATUS.test(status);
  return FINAL_REPLY.has(responseCode) && !ABOUT_THE_SENDER.test(response);
}

import { createTransport, type NodemailerError } from "nodemailer";
import SMTPPool from "nodemailer/lib/smtp-pool";
import { explainFailure } from "./failures.ts";
import type { Mail, Mailer, MailSender } from "./mail.ts";
import { mimeMessage } from "./message.ts";

/** Bounds in milliseconds: a server that stalls costs a sender no more than these. */
export interface SmtpTimes {
  /** From the look-up of the host's name to the end of its greeting, STARTTLS included. */
  readonly connect: number;
  /** Of silence in a conversation. */
  readonly silence: number;
  /** For one mail in all, the wait for a free connection included: a server can also talk without an end. */
  readonly send: number;
  /** For what is on its way when the mailer closes. */
  readonly close: number;
}

const TIMES: SmtpTimes = { connect: 20_000, silence: 30_000, send: 60_000, close: 5_000 };

/** So many mails at a time from one process: servers commonly allow a client ten connections and more. */
const CONNECTIONS = 5;

/** Sends by SMTP, over connections that are kept for the mails to come. */
export function smtpMailer(url: string, from: MailSender, times: Partial<SmtpTimes> = {}): Mailer {
  const limits = { ...TIMES, ...times };
  const pool = createPool(url, limits);
  const transport = createTransport(pool);
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

function createPool(url: string, limits: SmtpTimes): SMTPPool {
  return new SMTPPool({
    url,
    maxConnections: CONNECTIONS,
    // For a connection that the server ended before it heard of the mail. All other repeats are the jobs' business.
    maxRequeues: 1,
    ...(mustEncrypt(url) && { requireTLS: true }),
    connectionTimeout: limits.connect,
    socketTimeout: limits.silence,
  });
}

/**
 * A password goes to another machine encrypted or not at all: whoever sits between can take the offer of STARTTLS out
 * of the greeting. An operator who trusts the network says so by `?requireTLS=false`: what the address says goes before
 * what is said here.
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

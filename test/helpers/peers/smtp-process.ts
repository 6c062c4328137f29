import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type ReceivedMail, type SmtpMood, type SmtpPeerOptions, startSmtpPeer } from "./smtp.ts";

/** A mail server in a process of its own, so that many senders do not share a thread with it. */
export interface SmtpProcess {
  readonly port: number;
  url(login?: string): string;
  /** Resolves once it behaves so. */
  setMood(mood: SmtpMood): Promise<void>;
  /** Everything it has taken over so far. */
  mails(): Promise<ReceivedMail[]>;
  /** Recipients that clients have named. */
  attempts(): Promise<number>;
  stop(): Promise<void>;
}

/** What the parent asks; a report answers all but the first. */
type Order = { options: SmtpPeerOptions } | { mood: SmtpMood } | "report";
type Report = { mails: ReceivedMail[]; attempts: number };

/** Starts it; contents of mails are not kept unless asked for. */
export async function startSmtpProcess(options: SmtpPeerOptions = {}): Promise<SmtpProcess> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  const { port } = await ask<{ port: number }>(child, { options: { keepRaw: false, ...options } });
  const report = () => ask<Report>(child, "report");
  return {
    port,
    url: (login) => `smtp://${login === undefined ? "" : `${login}:secret@`}127.0.0.1:${port}`,
    setMood: async (mood) => {
      await ask(child, { mood });
    },
    mails: async () => (await report()).mails,
    attempts: async () => (await report()).attempts,
    stop: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function ask<Answer>(child: ChildProcess, order: Order): Promise<Answer> {
  const listening = new AbortController();
  const answer = once(child, "message", listening);
  const ended = once(child, "exit", listening).then(([code]) => {
    throw new Error(`the mail server's process ended with ${code}`);
  });
  // Whichever of the two does not happen ends by being aborted.
  ended.catch(() => undefined);
  child.send(order);
  try {
    const [message] = await Promise.race([answer, ended]);
    return message;
  } finally {
    listening.abort();
  }
}

/** The child's side: it serves until its parent lets go of it, or is gone. */
async function serve(): Promise<void> {
  const [first] = (await once(process, "message")) as [{ options: SmtpPeerOptions }];
  const peer = await startSmtpPeer(first.options);
  process.on("message", (order: Exclude<Order, { options: unknown }>) => {
    if (order !== "report") peer.setMood(order.mood);
    process.send?.({ mails: [...peer.mails], attempts: peer.attempts } satisfies Report);
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.({ port: peer.port });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();

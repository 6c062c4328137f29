import { EventEmitter, once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";

/**
 * How a mail server behaves:
 * `accepts` · `refusesSome` answers 451 to the first `some.refused` of each `some.of` recipients · `refusesAll` the same
 * to all · `greylists` the first attempt at each recipient · `busy` ends each conversation by 421 instead of a greeting ·
 * `silent` never greets · `stalls` takes a mail and never says whether it has · `trickles` goes on answering that mail
 * without an end · `dropsMidData` cuts the connection while the mail comes in · `dropsAccepted` takes the mail over, then
 * cuts the connection before it says so · `rejectsRecipient` 550 · `rejectsContent` 554 after the mail ·
 * `rejectsSender` 550 to MAIL FROM · `rejectsLogin` 535 · `needsLogin` 530 to each recipient.
 */
export type SmtpMood =
  | "accepts"
  | "refusesSome"
  | "refusesAll"
  | "greylists"
  | "busy"
  | "silent"
  | "stalls"
  | "trickles"
  | "dropsMidData"
  | "dropsAccepted"
  | "rejectsRecipient"
  | "rejectsContent"
  | "rejectsSender"
  | "rejectsLogin"
  | "needsLogin";

/** A mail that the server has taken over. */
export interface ReceivedMail {
  /** Who had logged in; undefined without a log-in. */
  readonly login: string | undefined;
  readonly from: string;
  readonly to: string[];
  /** The id with its angle brackets. */
  readonly messageId: string;
  /** Milliseconds since 1970, when it was taken over. */
  readonly at: number;
  /** False where the connection was cut before the client could know. */
  readonly acknowledged: boolean;
  /** The whole mail; empty if the server should not keep it. */
  readonly raw: string;
}

export interface SmtpPeerOptions {
  mood?: SmtpMood;
  /** For `refusesSome`; a third by default. */
  some?: { refused: number; of: number };
  /** Mails of these recipients are rejected by 550, whatever the mood is. */
  unknown?: string[];
  keepRaw?: boolean;
  /** True to offer STARTTLS with a self-signed certificate. */
  starttls?: boolean;
}

export interface SmtpPeer {
  readonly port: number;
  /** What SMTP_URL says, with a log-in where a user is named. */
  url(login?: string): string;
  readonly mails: readonly ReceivedMail[];
  /** Named recipients: attempts that came as far as that. */
  readonly attempts: number;
  readonly connections: number;
  readonly logins: number;
  /** Resolves when a client names the next recipient. */
  asked(): Promise<void>;
  /** Cuts every connection that is open. */
  disconnect(): void;
  setMood(mood: SmtpMood): void;
  /** Answers every recipient, or every mail, by this reply: `550 5.1.1 No such mailbox`. */
  refuse(command: "RCPT TO" | "DATA", reply: string): void;
  stop(): Promise<void>;
}

/** A mail server on 127.0.0.1, by default without TLS; any password will do. */
export async function startSmtpPeer(options: SmtpPeerOptions = {}): Promise<SmtpPeer> {
  const state: PeerState = {
    mood: options.mood ?? "accepts",
    some: options.some ?? { refused: 1, of: 3 },
    unknown: new Set(options.unknown),
    keepRaw: options.keepRaw ?? true,
    mails: [],
    attempts: 0,
    connections: 0,
    logins: 0,
    seen: new Set(),
    events: new EventEmitter(),
  };
  const server = createServer(state, options.starttls ?? false);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    url: (login) => `smtp://${login === undefined ? "" : `${login}:secret@`}127.0.0.1:${port}`,
    mails: state.mails,
    get attempts() {
      return state.attempts;
    },
    get connections() {
      return state.connections;
    },
    get logins() {
      return state.logins;
    },
    asked: async () => {
      await once(state.events, "asked");
    },
    disconnect: () => disconnect(server),
    setMood: (mood) => {
      state.mood = mood;
    },
    refuse: (command, text) => {
      state.refusal = { command, error: reply(Number(text.slice(0, 3)), text.slice(4)) };
    },
    stop: async () => {
      disconnect(server);
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

interface PeerState {
  mood: SmtpMood;
  refusal?: { command: "RCPT TO" | "DATA"; error: Error };
  some: { refused: number; of: number };
  unknown: Set<string>;
  keepRaw: boolean;
  mails: ReceivedMail[];
  attempts: number;
  connections: number;
  logins: number;
  events: EventEmitter;
  /** Recipients that the greylist knows. */
  seen: Set<string>;
}

function createServer(state: PeerState, starttls: boolean): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    disabledCommands: starttls ? [] : ["STARTTLS"],
    closeTimeout: 100,
    logger: false,
    onConnect(_session, done) {
      state.connections += 1;
      if (state.mood === "silent") return;
      done(state.mood === "busy" ? reply(421, "4.3.2 Too busy, try again later") : null);
    },
    onAuth({ username }, _session, done) {
      state.logins += 1;
      if (state.mood === "rejectsLogin") return done(reply(535, "5.7.8 Authentication failed"));
      done(null, { user: username });
    },
    onMailFrom(_address, _session, done) {
      done(state.mood === "rejectsSender" ? reply(550, "5.7.1 Sender not allowed") : null);
    },
    onRcptTo({ address }, _session, done) {
      state.attempts += 1;
      state.events.emit("asked");
      done(judgeRecipient(state, address));
    },
    onData(stream, session, done) {
      takeMail(state, stream, session, { done, socket: socketOf(server, session) });
    },
  });
  // Clients cut connections as part of the tests.
  server.on("error", () => undefined);
  return server;
}

function judgeRecipient(state: PeerState, address: string): Error | null {
  const { mood, some, seen, refusal } = state;
  if (refusal?.command === "RCPT TO") return refusal.error;
  if (mood === "rejectsRecipient" || state.unknown.has(address)) {
    return reply(550, "5.1.1 No such mailbox here");
  }
  if (mood === "needsLogin") return reply(530, "5.7.0 Authentication required");
  const isInBadPart = (state.attempts - 1) % some.of < some.refused;
  if (mood === "refusesAll" || (mood === "refusesSome" && isInBadPart)) {
    return reply(451, "4.3.0 Local error, try again later");
  }
  if (mood === "greylists" && !seen.has(address)) {
    seen.add(address);
    return reply(451, "4.7.1 Greylisted, try again later");
  }
  return null;
}

interface Answering {
  done(error?: Error | null, message?: string): void;
  socket: Socket;
}

function takeMail(
  state: PeerState,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  { done, socket }: Answering,
): void {
  const { mood, refusal } = state;
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (mood === "dropsMidData") socket.destroy();
  });
  stream.on("end", () => {
    if (refusal?.command === "DATA") return done(refusal.error);
    if (mood === "rejectsContent") return done(reply(554, "5.6.0 Content refused"));
    if (mood === "stalls" || mood === "dropsMidData") return;
    if (mood === "trickles") return trickle(socket);
    state.mails.push(received(state, session, Buffer.concat(chunks).toString(), mood !== "dropsAccepted"));
    if (mood === "dropsAccepted") return socket.destroy();
    done(null, "2.0.0 Taken over");
  });
}

function received(
  { keepRaw }: PeerState,
  session: SMTPServerSession,
  raw: string,
  acknowledged: boolean,
): ReceivedMail {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    login: session.user,
    from: mailFrom ? mailFrom.address : "",
    to: rcptTo.map(({ address }) => address),
    messageId: /^message-id:\s*(<[^>]+>)/im.exec(raw)?.[1] ?? "",
    at: Date.now(),
    acknowledged,
    raw: keepRaw ? raw : "",
  };
}

/** An answer of many lines whose last one never comes. */
function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write("250-one moment\r\n"), 50);
  socket.once("close", () => clearInterval(timer));
}

function disconnect(server: SMTPServer): void {
  for (const connection of server.connections) connection._socket.destroy();
}

function socketOf(server: SMTPServer, { id }: SMTPServerSession): Socket {
  const connection = [...server.connections].find((open) => open.id === id);
  if (!connection) throw new Error("the connection is gone");
  return connection._socket;
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface SilentProxy {
  /** The database's address by way of the proxy. */
  readonly url: string;
  /** Connections that are forwarded now. */
  readonly open: number;
  /** Drops what is sent over the connections that are there, in both directions, and closes none of them. */
  fallSilent(options?: { newOnesToo: boolean }): void;
  /** Ends every connection and refuses new ones, as a stopped server does. */
  refuse(): void;
  /** New connections work again. */
  speak(): void;
  /** Leads new connections to another server of this machine and ends those that are there, as HAProxy does. */
  leadTo(port: number): void;
  /** Ends every connection, and takes no more; so does the end of the test. */
  close(): void;
}

/**
 * A network between a test and its database whose packets can vanish. It runs until the end of the test.
 * @param asPooler tells clients of another process of the server than theirs, as PgBouncer does
 */
export async function startSilentProxy(databaseUrl: string, { asPooler = false } = {}): Promise<SilentProxy> {
  const { hostname, port: firstPort } = new URL(databaseUrl);
  let targetPort = Number(firstPort);
  const pairs = new Map<Socket, Socket>();
  const loggedIn = new WeakSet<Socket>();
  const silenced = new Set<Socket>();
  let takesNew = true;
  const server = createServer((client) => {
    client.on("error", () => undefined);
    if (!takesNew) return;
    const database = connect(targetPort, hostname);
    pairs.set(client, database);
    const end = () => {
      // Silence hides the end of a connection as well.
      if (!pairs.delete(client)) return;
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) socket.on("error", () => undefined).on("close", end);
    client.on("data", (bytes) => pairs.has(client) && database.write(bytes));
    database.on("data", (bytes) => bytes.includes(READY_FOR_QUERY) && loggedIn.add(database));
    database.on("data", (bytes) => pairs.has(client) && client.write(asPooler ? withOtherPid(bytes) : bytes));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const all = new Set<Socket>();
  server.on("connection", (socket) => all.add(socket));
  const cut = () => {
    for (const [client, database] of pairs) for (const socket of [client, database]) socket.destroy();
    for (const socket of [...all, ...silenced]) socket.destroy();
  };
  const refuse = () => {
    cut();
    server.close();
  };
  onTestFinished(refuse);
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String(port) }).href,
    get open() {
      return pairs.size;
    },
    fallSilent({ newOnesToo } = { newOnesToo: false }) {
      takesNew = !newOnesToo;
      for (const database of pairs.values()) {
        // While a client logs in, no database of the server can be dropped, for up to a minute.
        if (loggedIn.has(database)) silenced.add(database.pause());
        else database.destroy();
      }
      pairs.clear();
    },
    refuse,
    speak() {
      takesNew = true;
      if (!server.listening) server.listen(port, "127.0.0.1");
    },
    leadTo(next) {
      targetPort = next;
      cut();
    },
    close: refuse,
  };
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** BackendKeyData: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function withOtherPid(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) bytes.writeInt32BE(1, at + 5);
  return bytes;
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A network between the site and its database. */
export interface Forwarder {
  /** The database's address by way of the forwarder. */
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  refuse(): Promise<void>;
  /** Drops whatever is sent, and ends no connection. */
  swallow(): void;
  /** Forwards new connections; those from before stay lost. */
  forward(databaseUrl: string): Promise<void>;
  close(): void;
}

export async function startForwarder(databaseUrl: string): Promise<Forwarder> {
  let target = Number(new URL(databaseUrl).port);
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    keep(client);
    if (isSilent) return;
    const database = keep(connect(target, "127.0.0.1"));
    client.pipe(database).pipe(client);
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroyed || client.readableFlowing === false || client.destroy());
  });
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    refuse: async () => close(),
    swallow() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async forward(databaseUrl) {
      target = Number(new URL(databaseUrl).port);
      isSilent = false;
      if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
    },
    close,
  };
}

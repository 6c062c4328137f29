import type { Knex } from "knex";
import pg from "pg";
import { serversOf } from "../settings/database.ts";

/** The servers of an address, of which one takes writes; after a failover that is another. */
export class Servers {
  readonly #urls: readonly string[];
  #place = 0;

  constructor(url: string) {
    this.#urls = serversOf(url);
  }

  get count(): number {
    return this.#urls.length;
  }

  /** The address of the one that is tried next. */
  get current(): string {
    return this.#urls[this.#place] ?? "";
  }

  /** Goes on to the next one, unless another connection has done that. */
  passOver(url: string): void {
    if (url === this.current) this.#place = (this.#place + 1) % this.count;
  }
}

/** The servers of pools that have several. */
const followed = new WeakMap<Knex, Servers>();

/**
 * Makes a pool's new connections, and those beside it, with the server that takes writes. Connections to one that has
 * become a standby need no care: a primary has to be restarted for that, which ends them.
 */
export function followServers(db: Knex, servers: Servers): void {
  if (servers.count === 1) return;
  followed.set(db, servers);
  // Read for each connection, also by what copies all settings.
  Object.defineProperty(db.client.connectionSettings, "connectionString", {
    enumerable: true,
    get: () => servers.current,
  });
  db.client.driver = Object.create(db.client.driver, { Client: { value: clientOf(servers) } });
  const acquire: () => Promise<pg.Client> = db.client.acquireRawConnection.bind(db.client);
  db.client.acquireRawConnection = async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await acquire();
      } catch (error) {
        if (tries >= servers.count) throw error;
      }
    }
  };
}

/** What a pool of pg's own has to be told to follow the same servers. */
export function followingOptions(db: Knex): { Client?: typeof pg.Client } {
  const servers = followed.get(db);
  return servers ? { Client: clientOf(servers) } : {};
}

/** As pg calls it back. */
type Connected = (error: Error | null, client?: pg.Client) => void;

function clientOf(servers: Servers): typeof pg.Client {
  return class FollowingClient extends pg.Client {
    readonly #url: string;

    constructor(settings: pg.ClientConfig) {
      const url = servers.current;
      super({ ...settings, connectionString: url });
      this.#url = url;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then((client) => callback(null, client), callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        await this.#requireWrites();
        return this;
      } catch (error) {
        servers.passOver(this.#url);
        throw error;
      }
    }

    async #requireWrites(): Promise<void> {
      const { rows } = await this.query("select current_setting('transaction_read_only') as read_only");
      if (rows[0]?.read_only === "off") return;
      await this.end();
      // As a server says that has just started and takes no connections yet.
      throw Object.assign(new Error("the server takes no writes"), { code: "57P03" });
    }
  };
}

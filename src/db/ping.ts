import type { Socket } from "node:net";
import type { Knex } from "knex";
import pg from "pg";

/** The limit for connecting, and for answering. */
const ANSWER_MS = 500;
/** How long an answer is reused, so that many requests do not load the database. */
const REMEMBER_MS = 1_000;

/** Returns a check whether the database answers within 1.5 s. It has its own connection: the pool may be used up. */
export function createPing(db: Knex): () => Promise<boolean> {
  let connection: pg.Client | undefined;
  let answer: Promise<boolean> | undefined;

  async function connect(): Promise<pg.Client> {
    const limits = { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS };
    const client = new pg.Client({ ...db.client.connectionSettings, ...limits });
    client.on("error", () => undefined);
    client.once("end", () => {
      if (connection === client) connection = undefined;
    });
    await client.connect();
    // The socket must not keep the process alive.
    (client.connection.stream as Socket).unref();
    return client;
  }

  /** Tries again over a new connection: the old one may be dead. */
  async function ask(): Promise<boolean> {
    const known = connection;
    if (known && (await answers(known))) return true;
    connection = await connect().catch(() => undefined);
    return connection !== undefined && (await answers(connection));
  }

  const forget = () => {
    answer = undefined;
  };
  return () => {
    answer ??= ask().finally(() => setTimeout(forget, REMEMBER_MS).unref());
    return answer;
  };
}

async function answers(connection: pg.Client): Promise<boolean> {
  try {
    await connection.query("select 1");
    return true;
  } catch {
    connection.connection.stream.destroy();
    return false;
  }
}

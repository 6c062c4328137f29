import type { Socket } from "node:net";
import type { Knex } from "knex";
import pg from "pg";

/** To connect as well as to answer. */
const ANSWER_MS = 1_000;
/** So that asking often is no way to load the database. */
const REMEMBER_MS = 1_000;

/**
 * Tells whether the database answers, by a connection beside the pool, which others may hold to the last. It takes 3 s at
 * most; who asks meanwhile, or within a second after it, gets the same answer.
 */
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
    // It must not keep a process from ending.
    (client.connection.stream as Socket).unref();
    return client;
  }

  /** Once more over a new connection, as the old one may be lost without a word. */
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

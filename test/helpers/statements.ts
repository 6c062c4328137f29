import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

/**
 * The database cost of a request. `roundTrips` is the longest chain of statements that each began after the previous
 * one was answered: concurrent ones count once.
 */
export interface Cost {
  readonly statements: number;
  readonly roundTrips: number;
  /** The tables that it wrote to. */
  readonly written: readonly string[];
}

/** What every new connection begins with, which is no part of a request. */
const BEGINS_CONNECTION = /^(set timezone|select version\(\))/i;

/** No answer waits for the end of a transaction that wrote nothing. */
const ENDS_SNAPSHOT = /^commit\b/i;

const WRITES = /\b(?:insert into|update|delete from)\s+"?(\w+)"?/i;

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;

/** Counts the statements of every connection that this process has, whichever library sends them. */
export function useStatementCount(): { costOf(work: () => Promise<unknown>): Promise<Cost> } {
  const count = new StatementCount();
  const query = pg.Client.prototype.query as unknown as Query;
  beforeAll(() => {
    const counted: Query = function (...parameters) {
      return count.watch(parameters, (watched) => query.apply(this, watched));
    };
    Reflect.set(pg.Client.prototype, "query", counted);
  });
  afterAll(() => {
    Reflect.set(pg.Client.prototype, "query", query);
  });
  return { costOf: (work) => count.costOf(work) };
}

class StatementCount {
  #statements = 0;
  #roundTrips = 0;
  /** The longest chain whose statements were all answered. */
  #answered = 0;
  #open = 0;
  #written: string[] = [];

  /** Runs `work` and counts what it asks, also what it does not wait for. */
  async costOf(work: () => Promise<unknown>): Promise<Cost> {
    [this.#statements, this.#roundTrips, this.#answered, this.#written] = [0, 0, 0, []];
    await work();
    do await delay(5);
    while (this.#open > 0);
    return { statements: this.#statements, roundTrips: this.#roundTrips, written: this.#written };
  }

  watch(parameters: unknown[], send: (parameters: unknown[]) => unknown): unknown {
    const text = statementText(parameters[0]);
    if (BEGINS_CONNECTION.test(text) || ENDS_SNAPSHOT.test(text)) return send(parameters);
    const [, table] = WRITES.exec(text) ?? [];
    if (table !== undefined) this.#written.push(table);
    const answered = this.#begin();
    const callback = parameters.at(-1);
    if (typeof callback === "function") {
      const ended = (...results: unknown[]) => {
        answered();
        callback(...results);
      };
      return send([...parameters.slice(0, -1), ended]);
    }
    const sent = send(parameters);
    if (sent instanceof EventEmitter) sent.once("close", answered);
    else if (sent instanceof Promise) sent.then(answered, answered);
    return sent;
  }

  #begin(): () => void {
    const chain = this.#answered + 1;
    this.#statements += 1;
    this.#open += 1;
    this.#roundTrips = Math.max(this.#roundTrips, chain);
    return () => {
      this.#open -= 1;
      this.#answered = Math.max(this.#answered, chain);
    };
  }
}

/** The SQL of a query of pg, which is a string or an object with a text. */
function statementText(query: unknown): string {
  if (typeof query === "string") return query;
  return typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";
}

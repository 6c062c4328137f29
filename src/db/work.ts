import { AsyncLocalStorage } from "node:async_hooks";

/** Names the current work. It is a function because the route of a request is known only at its end. */
export type Work = () => Readonly<Record<string, string>>;

const current = new AsyncLocalStorage<Work>();

/** Calls a function; it and everything that it starts belong to this work. */
export function callAs(work: Work, call: () => void): void {
  current.run(work, call);
}

/** Runs a function to its end as this work. Awaits it here, because a Knex query begins only when awaited. */
export function runAs<Result>(work: Work, run: () => PromiseLike<Result>): Promise<Result> {
  return current.run(work, async () => {
    const result = await run();
    return result;
  });
}

/** The current work; undefined without any. */
export function currentWork(): Work | undefined {
  return current.getStore();
}

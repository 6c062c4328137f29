import { AsyncLocalStorage } from "node:async_hooks";

/** Names the work that is under way. It is a function because the route of a request is known only at its end. */
export type Work = () => Readonly<Record<string, string>>;

const current = new AsyncLocalStorage<Work>();

/** Calls something; it and whatever it starts is this work. */
export function callAs(work: Work, call: () => void): void {
  current.run(work, call);
}

/** Runs something to its end as this work. A query of Knex begins only when it is waited for, hence that is done here. */
export function runAs<Result>(work: Work, run: () => PromiseLike<Result>): Promise<Result> {
  return current.run(work, async () => {
    const result = await run();
    return result;
  });
}

/** The current work; undefined outside of any. */
export function currentWork(): Work | undefined {
  return current.getStore();
}

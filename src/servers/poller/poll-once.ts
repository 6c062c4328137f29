import type { z } from "zod";
import type { EgressPolicy } from "../../web/egress/policy.ts";
import { type Adapters, type Answer, type Target, toMiss } from "./adapter.ts";
import { ADAPTERS } from "./adapters.ts";
import { askWithin } from "./due-polls.ts";
import { findDefinitionError } from "./roster.ts";

export { listGames } from "./adapters/gamedig-options.ts";
export { ADAPTERS };

/** A little more than the longest time that a server may have. */
const LIMIT_MS = 12_000;

/** The names of the options of all adapters. */
export const POLL_OPTIONS: readonly string[] = Object.values(ADAPTERS).flatMap(({ options }) =>
  Object.keys((options as z.ZodObject).shape),
);

/** Polls a server once as the poller does, and measures the time in milliseconds. Stores nothing. */
export async function pollOnce(
  { adapter: name, ...target }: Target & { readonly adapter: string },
  egress: EgressPolicy,
): Promise<{ readonly answer: Answer; readonly ms: number }> {
  const adapter = Object.hasOwn(ADAPTERS, name) ? (ADAPTERS as Adapters)[name] : undefined;
  const fault = findDefinitionError(adapter, target);
  if (!adapter || fault !== null) return { answer: toMiss(new Error(fault ?? "")), ms: 0 };
  const begun = performance.now();
  const ask = (signal: AbortSignal) => adapter.ask([target], signal, egress);
  const answers = await askWithin(ask, [target], LIMIT_MS, new AbortController().signal);
  const answer = answers.get(target.id) ?? toMiss(new Error("the adapter does not know the server"));
  return { answer, ms: Math.round(performance.now() - begun) };
}

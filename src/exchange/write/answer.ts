import { HttpError, PROBLEMS, type ProblemName } from "../../web/pages/errors.ts";
import type { LazyText } from "../../words/i18n/lazy-text.ts";

/** What a write is answered. */
interface Success {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Missing: no body. */
  readonly json?: unknown;
}

export type Outcome = Success | HttpError;

/** An outcome as it is stored. */
type StoredOutcome =
  | Success
  | {
      readonly problem: string;
      readonly detail: LazyText | string;
      readonly members: Record<string, unknown>;
    };

export function toStored(outcome: Outcome): StoredOutcome {
  if (!(outcome instanceof HttpError)) return outcome;
  const { problem, said, message, members } = outcome;
  return { problem: problem.slug, detail: said ?? message, members };
}

export function fromStored(stored: StoredOutcome): Outcome {
  if (!("problem" in stored)) return stored;
  const [name] = Object.entries(PROBLEMS).find(([, { slug }]) => slug === stored.problem) ?? [];
  return new HttpError((name ?? "internal") as ProblemName, stored.detail, { members: stored.members });
}

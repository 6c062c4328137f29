import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { ReceivedMail } from "./peers/smtp.ts";

/** One life of a process, under a name of its own. */
export interface Life {
  readonly name: string;
  /** Milliseconds since 1970; undefined: it was not killed. */
  killedAt?: number;
}

export interface Mortals {
  readonly lives: readonly Life[];
  /** Lets those that live now go on. */
  spare(): void;
  /** Kills the rest. */
  end(): Promise<void>;
}

/** A process is killed once this many events have happened since it works, at random within these bounds. */
interface LifeTime {
  readonly countEvents: () => number;
  readonly shortest: number;
  readonly longest: number;
}

/**
 * Runs so many processes, each killed by SIGKILL at a random moment and restarted under another name. Events count, and
 * not seconds, because a busy machine does nothing in some seconds.
 * @param start starts one of this name, which prints something once it works
 */
export function startMortals(
  count: number,
  start: (name: string) => ChildProcess,
  { countEvents, shortest, longest }: LifeTime,
): Mortals {
  const lives: Life[] = [];
  const spared = new AbortController();
  const children = new Set<ChildProcess>();
  const liveOn = async () => {
    while (!spared.signal.aborted) {
      const life: Life = { name: `worker-${lives.length + 1}` };
      lives.push(life);
      const child = start(life.name);
      children.add(child);
      const ended = once(child, "exit");
      if (child.stdout) await Promise.race([once(child.stdout, "data"), ended]);
      const last = countEvents() + shortest + Math.random() * (longest - shortest);
      while (countEvents() < last && !spared.signal.aborted) await delay(10 + 40 * Math.random());
      if (spared.signal.aborted) return;
      if (child.exitCode !== null) throw new Error(`${life.name} ended by itself with ${child.exitCode}`);
      life.killedAt = Date.now();
      child.kill("SIGKILL");
      await ended;
      children.delete(child);
    }
  };
  const all = Promise.all(Array.from({ length: count }, liveOn));
  all.catch(() => spared.abort());
  return {
    lives,
    spare: () => spared.abort(),
    end: async () => {
      spared.abort();
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
      await all;
    },
  };
}

/** A mail that was taken over although it had been before. */
export interface Repetition {
  readonly messageId: string;
  /** Who sent it the time before. */
  readonly sender: string;
  /** Milliseconds from the acceptance before to its sender's death; undefined: that was not killed. */
  readonly diedAfterMs: number | undefined;
}

/** Every acceptance of a mail after the first, with what became of the sender before. */
export function findRepetitions(mails: readonly ReceivedMail[], lives: readonly Life[]): Repetition[] {
  const deaths = new Map(lives.map(({ name, killedAt }) => [name, killedAt]));
  const before = new Map<string, ReceivedMail>();
  const repetitions: Repetition[] = [];
  for (const mail of mails) {
    const earlier = before.get(mail.messageId);
    before.set(mail.messageId, mail);
    if (!earlier) continue;
    const sender = earlier.login ?? "nobody";
    const death = deaths.get(sender);
    repetitions.push({
      messageId: mail.messageId,
      sender,
      diedAfterMs: death === undefined ? undefined : death - earlier.at,
    });
  }
  return repetitions;
}

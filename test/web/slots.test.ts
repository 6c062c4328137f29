import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { type SlotLimits, Slots } from "../../src/web/server/admission.ts";

const MINUTE = 60_000;

const slotsWith = (limits: Partial<SlotLimits>) =>
  new Slots({ running: 1, waiting: 2, waitMs: MINUTE, pauseMs: 0, ...limits });

/** Requests for slots, and what has become of them, in order. */
function requests(slots: Slots) {
  const log: string[] = [];
  const held: (() => void)[] = [];
  return {
    log,
    async send(name: string, gone?: AbortSignal) {
      try {
        const release = await slots.take(gone);
        log.push(`${name} ${release ? "in" : "gone"}`);
        if (release) held.push(release);
      } catch (error) {
        log.push(`${name} ${(error as { problem: { status: number } }).problem.status}`);
      }
    },
    /** Releases the oldest slot. */
    release: () => held.shift()?.(),
  };
}

/** Keeps the process at work. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it("refuses whoever has waited long enough, and holds no slot for them", async () => {
  const { log, send, release } = requests(slotsWith({ waiting: 1, waitMs: 20 }));
  await Promise.all([send("a"), send("b")]);
  expect(log).toEqual(["a in", "b 503"]);
  release();
  await send("c");
  expect(log.at(-1)).toBe("c in");
});

it("releases a slot once, however often that is called", async () => {
  const slots = slotsWith({ running: 2, waiting: 1 });
  const { log, send, release } = requests(slots);
  const [releaseFirst] = [await slots.take(), await slots.take()];
  for (let times = 0; times < 2; times++) releaseFirst?.();
  await send("a");
  const waiting = send("b");
  await send("c");
  expect(log).toEqual(["a in", "c 503"]);
  release();
  await waiting;
});

it.each([
  ["twice as long as the process worked", 0, 2],
  ["longer while requests wait for another kind of work", 2, 4],
])("pauses %s before the next", async (_what, others, times) => {
  const other = requests(slotsWith({}));
  const waiting = Array.from({ length: others }, (_, index) => other.send(`${index}`));
  const { send, release } = requests(slotsWith({ pauseMs: MINUTE }));
  const all = [send("a"), send("b")];
  await turn();
  work(300);
  const released = performance.now();
  release();
  await Promise.all(all);
  // Timers may come a millisecond early.
  expect(performance.now() - released).toBeGreaterThan(times * 300 - 10);
  for (let taken = 0; taken < others; taken++) {
    other.release();
    await turn();
    await turn();
  }
  await Promise.all(waiting);
  release();
});

it("does not pause when no request waits", async () => {
  const { log, send, release } = requests(slotsWith({ pauseMs: MINUTE }));
  await send("a");
  work(300);
  release();
  await turn();
  const sent = send("b");
  await turn();
  expect(log).toEqual(["a in", "b in"]);
  await sent;
});

it("pauses no longer than it may", async () => {
  const { log, send, release } = requests(slotsWith({ pauseMs: 0 }));
  const all = [send("a"), send("b")];
  await turn();
  work(300);
  release();
  const inTime = expect.poll(() => log, { timeout: 300 }).toEqual(["a in", "b in"]);
  await Promise.all([inTime, ...all]);
});

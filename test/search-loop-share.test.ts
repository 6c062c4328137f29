import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { LoopShare } from "../src/search/loop-share.ts";

/** A clock that only work moves on. */
function useClock(): { pass(milliseconds: number): void } {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return {
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}

it("lets everything else have its turn after every 3 ms, and keeps the order", async () => {
  const clock = useClock();
  const share = new LoopShare();
  const order: string[] = [];
  const all = [1, 2, 3, 4, 5].map((number) =>
    share.run(() => {
      clock.pass(2);
      order.push(`search ${number}`);
    }),
  );
  while (order.filter((step) => step !== "other").length < 5) {
    order.push("other");
    await nextTurn();
  }
  await Promise.all(all);
  expect(order).toEqual(["search 1", "other", "search 2", "search 3", "other", "search 4", "search 5"]);
});

it("runs a single piece at once", () => {
  const done = vi.fn();
  void new LoopShare().run(done);
  expect(done).toHaveBeenCalledTimes(1);
});

it("hands on what the work returns or throws", async () => {
  const share = new LoopShare();
  const fail = () => {
    throw new Error("no");
  };
  const results = [share.run(() => 7), share.run(fail), share.run(() => 8)];
  await expect(results[1]).rejects.toThrow("no");
  expect(await Promise.all([results[0], results[2]])).toEqual([7, 8]);
});

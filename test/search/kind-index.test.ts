import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KindIndex } from "../../src/search/live-search.ts";
import type { LoadedIndex } from "../../src/search/load.ts";
import { indexOf, recordOf } from "../helpers/search.ts";

/** An index of one record, whose id tells the version. */
function loaded(version: number): LoadedIndex {
  return { version, data: indexOf([recordOf({ id: `v${version}`, name: "Thing" })]).data };
}

/** A kind whose loads end when the test says so. */
function createKind() {
  const loads: { finish(version: number): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  let swaps = 0;
  const index = new KindIndex(
    () =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error("no such luck"));
        loads.push({ finish: (version) => resolve(loaded(version)), fail });
      }),
    { onSwap: () => (swaps += 1), onFailure: (error) => failures.push(error) },
  );
  const answer = () => index.current?.ids("thing", 5) ?? [];
  return { index, loads, failures, answer, swaps: () => swaps };
}

/** Lets what is ready to go on do so. */
const breath = () => new Promise((resolve) => setImmediate(resolve));

function useFakeDates(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("the index of a kind", () => {
  it("is there from the end of the first load, and then follows", async () => {
    const { index, loads, answer } = createKind();
    const first = index.follow(1);
    expect(answer()).toEqual([]);
    loads[0]?.finish(1);
    await first;
    expect(answer()).toEqual(["v1"]);
    const second = index.follow(2);
    await breath();
    expect(answer()).toEqual(["v1"]);
    loads[1]?.finish(2);
    await second;
    expect(answer()).toEqual(["v2"]);
  });

  it("loads once, whoever asks at the same time, and nothing while the version stays", async () => {
    const { index, loads, swaps } = createKind();
    const asked = [index.follow(1), index.follow(1), index.follow(1)];
    loads[0]?.finish(1);
    await Promise.all(asked);
    await index.follow(1);
    expect([loads.length, swaps()]).toEqual([1, 1]);
  });

  it("loads again after a load that may have begun before the change, once for all who wait", async () => {
    const { index, loads, answer } = createKind();
    const first = index.follow(1);
    const later = [index.follow(2), index.follow(2)];
    loads[0]?.finish(1);
    await first;
    await breath();
    expect([answer(), loads.length]).toEqual([["v1"], 2]);
    loads[1]?.finish(2);
    await Promise.all(later);
    expect([answer(), loads.length]).toEqual([["v2"], 2]);
  });

  it("loads no more when the running load has seen the change", async () => {
    const { index, loads, answer } = createKind();
    const asked = [index.follow(1), index.follow(2)];
    loads[0]?.finish(2);
    await Promise.all(asked);
    expect([answer(), loads.length]).toEqual([["v2"], 1]);
  });

  it("follows a database that was set back to an older state", async () => {
    const { index, loads, answer } = createKind();
    for (const version of [9, 3]) {
      const following = index.follow(version);
      await breath();
      loads.at(-1)?.finish(version);
      await following;
    }
    expect(answer()).toEqual(["v3"]);
  });

  it("keeps what it has when a load fails, and tries again after a pause that grows", async () => {
    useFakeDates();
    const { index, loads, failures, answer } = createKind();
    const follow = async (version: number, end: "finish" | "fail") => {
      const before = loads.length;
      const following = index.follow(version);
      await breath();
      if (loads.length > before) loads.at(-1)?.[end](version);
      await following;
      return loads.length - before;
    };
    expect(await follow(1, "finish")).toBe(1);
    expect(await follow(2, "fail")).toBe(1);
    expect([answer(), failures.length]).toEqual([["v1"], 1]);
    expect(await follow(2, "finish")).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(await follow(2, "fail")).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(await follow(2, "finish")).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(await follow(2, "finish")).toBe(1);
    expect([answer(), failures.length]).toEqual([["v2"], 2]);
  });

  it("tries the first load again after five seconds at most, however often it fails", async () => {
    useFakeDates();
    const { index, loads, answer } = createKind();
    for (let failed = 1; failed <= 8; failed++) {
      const following = index.follow(1);
      loads.at(-1)?.fail();
      await following;
      expect(loads).toHaveLength(failed);
      vi.advanceTimersByTime(5_000);
    }
    const following = index.follow(1);
    loads.at(-1)?.finish(1);
    await following;
    expect(answer()).toEqual(["v1"]);
  });
});

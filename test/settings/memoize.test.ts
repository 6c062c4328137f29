import { describe, expect, it, vi } from "vitest";
import { memoize } from "../../src/settings/memoize.ts";

describe("memoize", () => {
  it("computes a result once for the same arguments, even if the result is undefined", () => {
    const compute = vi.fn((_name: string) => undefined);
    const find = memoize(compute);
    expect([find("a"), find("a")]).toEqual([undefined, undefined]);
    expect(compute).toHaveBeenCalledTimes(1);
  });

  it("tells apart arguments that look alike when they are joined", () => {
    const join = memoize((...parts: (string | number | object)[]) => JSON.stringify(parts));
    const calls = [["a b"], ["a", "b"], ["a", 1], ["a", "1"], ["a", { digits: 1 }], ["a", { digits: 2 }]];
    expect(calls.map((parts) => join(...parts))).toEqual(calls.map((parts) => JSON.stringify(parts)));
  });

  it("keeps a limited number of results", () => {
    const compute = vi.fn((name: string) => name);
    const find = memoize(compute, 2);
    for (const name of ["a", "b", "c", "a"]) expect(find(name)).toBe(name);
    expect(compute).toHaveBeenCalledTimes(4);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusterPoints } from "../../src/catalogue/map/clusters.ts";

describe("clusterPoints", () => {
  const at = (x: number, y: number) => ({ x, y });

  it("puts near points together where the first of them is, and leaves others alone", () => {
    const [a, b, c] = [at(0, 0), at(6, 8), at(100, 0)];
    expect(clusterPoints([a, b, c], 11)).toEqual([
      { ...a, points: [a, b] },
      { ...c, points: [c] },
    ]);
    expect(clusterPoints([a, b, c], 10)).toHaveLength(3);
  });

  it("sees neighbours across the edges of its fields, below zero as well", () => {
    expect(clusterPoints([at(-1, -1), at(1, 1)], 10)).toHaveLength(1);
    expect(clusterPoints([at(9.9, 0), at(10.1, 0)], 10)).toHaveLength(1);
  });

  it("gives a point to the nearest of several", () => {
    const [a, b, near] = [at(0, 0), at(12, 0), at(7, 0)];
    expect(clusterPoints([a, b, near], 10).map(({ points }) => points)).toEqual([[a], [b, near]]);
  });

  it("puts each point into one cluster, and clusters out of reach of each other", () => {
    const point = fc.record({
      x: fc.integer({ min: -500, max: 500 }),
      y: fc.integer({ min: -500, max: 500 }),
    });
    const sample = fc.property(
      fc.array(point, { maxLength: 60 }),
      fc.integer({ min: 1, max: 300 }),
      (points, reach) => {
        const clusters = clusterPoints(points, reach);
        const gaps = clusters.flatMap((a, i) =>
          clusters.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)),
        );
        expect(new Set(clusters.flatMap((cluster) => cluster.points))).toEqual(new Set(points));
        expect(clusters.flatMap((cluster) => cluster.points)).toHaveLength(points.length);
        expect(gaps.filter((gap) => gap < reach)).toEqual([]);
      },
    );
    fc.assert(sample);
  });
});

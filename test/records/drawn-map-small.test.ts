import { describe, expect, it } from "vitest";
import { positionText, withoutPosition } from "../../src/records/position.ts";
import { drawSmallMap } from "../../src/records/small-map/static-map.ts";
import { WHOLE_MAP } from "../../src/settings/look.ts";

describe("drawSmallMap", () => {
  const shows = (x: number, y: number) => drawSmallMap(WHOLE_MAP, { x, y, z: undefined }, []).viewBox;

  it("has the place in its middle, and stays within the map at its edges", () => {
    expect(shows(0, 0)).toBe("-1000 -500 2000 1000");
    expect(shows(2990, -2990)).toBe("1000 2000 2000 1000");
    expect(shows(9000, 0)).toBe("8000 -500 2000 1000");
  });
});

describe("a place's attributes", () => {
  it("are left out where a small map says them, and no others", () => {
    expect(withoutPosition({ city: "A", x: 1, y: 2, z: 3 })).toEqual({ city: "A" });
    expect(withoutPosition({ position: [1, 2, 3], x: "west" })).toEqual({ x: "west" });
    expect(withoutPosition({ x: 1, size: 2 })).toEqual({ x: 1, size: 2 });
  });

  it("are text that players can copy", () => {
    expect(positionText({ x: 1234.56, y: -0.01, z: 7 })).toBe("1234.6, 0, 7");
    expect(positionText({ x: 1, y: 2, z: undefined })).toBe("1, 2");
  });
});

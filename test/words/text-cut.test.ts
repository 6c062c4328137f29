import { describe, expect, it } from "vitest";
import { readSample } from "../../src/exchange/imports/upload-mapping.ts";
import { cutText, listFirst } from "../../src/words/text/cut.ts";

describe("cutText", () => {
  it.each([
    ["", 3, ""],
    ["abc", 3, "abc"],
    ["abcd", 3, "abc…"],
    ["🎲🎲🎲", 3, "🎲🎲🎲"],
    ["🎲🎲🎲🎲", 3, "🎲🎲🎲…"],
    ["a🎲b🎲c", 2, "a🎲…"],
    ["abc🎲🎲🎲🎲🎲🎲🎲", 4, "abc🎲…"],
  ])("cuts %j to %i characters", (text, most, expected) => {
    expect(cutText(text, most)).toBe(expected);
  });

  it("leaves no half of a character in the sample of an uploaded file", async () => {
    async function* records() {
      yield { name: `${"a".repeat(59)}🎲b` };
    }
    expect(await readSample(records())).toEqual([{ field: "name", values: [`${"a".repeat(59)}🎲…`] }]);
  });
});

describe("listFirst", () => {
  it("adds an ellipsis only if there are more names", () => {
    expect(listFirst([], 2)).toBe("");
    expect(listFirst(["a", "b"], 2)).toBe("a, b");
    expect(listFirst([1, 2, 3], 2)).toBe("1, 2, …");
  });
});

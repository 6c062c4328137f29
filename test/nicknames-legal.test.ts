import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainNickname, isLegalNickname, isLegalPart } from "../src/nicknames/legal.ts";

const PREFIXES = ["Mc", "Mac", "O", "De", "Di", "Du", "Da", "Van", "Von", "La", "Le", "Fitz", "San"];

describe("the inner capital", () => {
  it.each(PREFIXES)("is allowed after %s", (prefix) => {
    expect(isLegalPart(`${prefix}Donald`)).toBe(true);
    expect(explainNickname(`John_${prefix}Donald`)).toEqual([]);
  });

  it.each([
    "JoAnn",
    "MaryAnn",
    "VanDerBerg",
    "DeLaCruz",
    "McDonaldO",
    "McD",
    "OC",
    "mcDonald",
    "MCDonald",
    "DEluca",
    "StJohn",
  ])("does not make %s legal", (part) => {
    expect(isLegalPart(part)).toBe(false);
    expect(explainNickname(`John_${part}`)).not.toEqual([]);
  });

  it.each(["Macdonald", "Devon", "Oscar", "Vanessa", "Leo", "Sandra", "Li"])(
    "is not needed in %s",
    (part) => {
      expect(isLegalPart(part)).toBe(true);
    },
  );
});

describe("a refused nickname is explained", () => {
  it.each([
    ["", ["shorter than 3", "exactly one underscore"]],
    ["John", ["exactly one underscore"]],
    ["John_Mc_Donald", ["exactly one underscore"]],
    ["_Smith", ["first name is missing"]],
    ["John_", ["last name is missing"]],
    ["john_Smith", ["first name must begin with a capital"]],
    ["John_smith", ["last name must begin with a capital"]],
    ["J_Smith", ["first name needs at least two letters"]],
    ["JoHn_Smith", ["first name has a capital inside", "Mc, Mac, O"]],
    ["John_VanDerBerg", ["last name has more than one capital inside"]],
    ["John_McD", ["last name ends with a capital"]],
    ["J0hn_Smith", ['not "0"']],
    ["John Smith", ["a space", "exactly one underscore"]],
    ["Зоя_Smith", ['"З", "о", "я"']],
    ["Bartholomew_Featherstonehaugh", ["longer than 24"]],
    ["[TAG]John_Smith", ['"[", "]"']],
  ])("%j", (nickname, reasons) => {
    const explanation = explainNickname(nickname).join("\n");
    for (const reason of reasons) expect(explanation).toContain(reason);
    expect(isLegalNickname(nickname)).toBe(false);
  });

  it("exactly when it is illegal, whatever the text", () => {
    const letters = fc.constantFrom(..."JohnMcDVanOs_ae", "é", "1", " ");
    const nearly = fc.array(letters, { maxLength: 26 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ unit: "binary" })), (text) => {
        expect(explainNickname(text).length === 0).toBe(isLegalNickname(text));
      }),
      { numRuns: 3000, examples: [["Jo_Mc"], ["Jo_McDo"], ["Jo_Vano"], ["__"], ["\ud800_Jo"], ["Jo_No\n"]] },
    );
  });
});

it("takes 3 to 24 characters", () => {
  expect(isLegalNickname("Bo_Li")).toBe(true);
  expect(isLegalNickname("Abcdefghijk_Abcdefghijkl")).toBe(true);
  expect(isLegalNickname("Abcdefghijkl_Abcdefghijkl")).toBe(false);
});

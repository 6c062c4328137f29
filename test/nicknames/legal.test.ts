import { describe, expect, it } from "vitest";
import { isLegalPart } from "../../src/nicknames/legal.ts";

const PREFIXES = ["Mc", "Mac", "O", "De", "Di", "Du", "Da", "Van", "Von", "La", "Le", "Fitz", "San"];

describe("the inner capital", () => {
  it.each(PREFIXES)("is allowed after %s", (prefix) => {
    expect(isLegalPart(`${prefix}Donald`)).toBe(true);
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
  });

  it.each(["Macdonald", "Devon", "Oscar", "Vanessa", "Leo", "Sandra", "Li"])(
    "is not needed in %s",
    (part) => {
      expect(isLegalPart(part)).toBe(true);
    },
  );
});

describe("half a nickname", () => {
  it.each(["", "J", "john", "J0hn", "Jo hn", "Jo_hn", "Зоя", "[TAG]John", "Zoé", "John\n"])(
    "is never %j",
    (part) => {
      expect(isLegalPart(part)).toBe(false);
    },
  );
});

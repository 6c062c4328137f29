import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { otherLayouts } from "../../src/search/layout.ts";

const SPACE = " ";
const LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ";
const UKRAINIAN = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ";

describe("otherLayouts", () => {
  it.each([
    ["gbcnjktn", "пистолет"],
    [",hjyt;bktn", "бронежилет"],
    ["`;br D dfktyrf[", "ёжик В валенках"],
    ["{fnf c rhfcysvb 'gjktnfvb", "Хата с красными эполетами"],
  ])("%s was %s in Russian", (typed, meant) => {
    expect(otherLayouts(typed)[0]).toBe(meant);
  });

  it.each([
    ["gscnjktn", ["пыстолет", "пістолет"]],
    ["]'\\", ["ъэ\\", "їєґ"]],
  ])("%s was %s in Russian or Ukrainian", (typed, meant) => {
    expect(otherLayouts(typed)).toEqual(meant);
  });

  it.each([
    ["Тущзрнеуэы Ыршке", "Neophyte's Shirt"],
    ["іцщкв", "sword"],
    ["Ф.И", "A/B"],
  ])("%s was %s in Latin letters", (typed, meant) => {
    expect(otherLayouts(typed)).toEqual([meant]);
  });

  it.each([
    ["чёрный ljl;", ["чёрный додж", "x`hysq ljl;"]],
    ["nuke кшаду", ["тглу кшаду", "nuke rifle"]],
  ])("takes the words of either alphabet in %s for the mistaken ones", (typed, meant) => {
    expect(otherLayouts(typed)).toEqual(meant);
  });

  it.each(["", "411", "ピストル", "🚗 5%", "# 3", "ђ"])("has nothing to say of %j", (typed) => {
    expect(otherLayouts(typed)).toEqual([]);
  });

  it("leaves letters that are on no key", () => {
    expect(otherLayouts("é日 gek")).toEqual(["é日 пул"]);
    expect(otherLayouts("日 йцу")).toEqual(["日 qwe"]);
  });

  it("reads letters of two parts as one", () => {
    expect(otherLayouts("йо".normalize("NFD"))).toEqual(["qj"]);
  });

  it.each([
    ["Latin", LATIN],
    ["Russian", RUSSIAN],
    ["Ukrainian", UKRAINIAN],
  ])("there and back gives the same %s text", (_, letters) => {
    const text = fc.string({ unit: fc.constantFrom(...letters, SPACE) }).filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(text, (meant) => {
        expect(otherLayouts(meant).flatMap(otherLayouts)).toContain(meant);
      }),
    );
  });

  it("never gives the text itself, nor anything twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const readings = otherLayouts(text);
        expect(readings).not.toContain(text);
        expect(new Set(readings).size).toBe(readings.length);
      }),
    );
  });
});

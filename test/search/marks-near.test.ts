import { describe, expect, it } from "vitest";
import { nearParts, type Part } from "../../src/search/marks.ts";

/** A marked name with brackets round what is marked. */
function bracketed(parts: Part[]): string {
  return parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
}

describe("nearParts", () => {
  it.each([
    ["Infernus", "infrnus", "[Inf]e[rnus]", "a letter left out"],
    ["Infernus", "inferxnus", "[Infernus]", "a letter too many"],
    ["Infernus", "imfernus", "[I]n[fernus]", "a wrong letter"],
    ["Infernus", "infrenus", "[Inf]er[nus]", "two letters swapped"],
    ["Infernus", "infrn", "[Inf]e[rn]us", "an error in a name half typed"],
    ["Infernus Deluxe", "infernsu", "[Infern]us Deluxe", "letters swapped at the end of a word"],
    ["Desert Eagle", "desrt eagle", "[Des]e[rt] [Eagle]", "an error in one of two words"],
    ["Desert Eagle", "egale desert", "[Desert] [E]ag[le]", "and in another order"],
    ["Combat Shotgun", "bat shtgun", "Combat [Sh]o[tgun]", "a word that is none here"],
    ["Battery", "batteries", "[Batter]y", "another ending"],
    ["Золотой пистолет", "золотая пистолет", "[Золот]ой [пистолет]", "another gender"],
    ["NRG-500", "nrg500", "[NRG-500]", "words typed as one"],
    ["NRG-500", "nrg5", "[NRG-5]00", "and half of them"],
    ["Key of the NRG-500", "nrg500", "Key of the [NRG-500]", "and later ones"],
    ["Sniper Rifle", "sni per", "[Sniper] Rifle", "a word typed as two"],
    ["Sniper Rifle", "sniperxrifle", "[Sniper] [Rifle]", "an error where a space belongs"],
    ["Große Straße", "strase", "Große [Straße]", "half of a letter that is two"],
    ["Chemise de Néophyte", "neopyte", "Chemise de [Néop]h[yte]", "accents beside it"],
  ])("marks what is where it was typed in %s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(nearParts(name, query))).toBe(expected);
  });

  it.each([
    ["Infernus", "if", "too few letters"],
    ["Infernus", "rhino", "another word"],
    ["Gun", "gnu", "less than half of it"],
    ["Infernus", "ixfxrxus", "more errors than one in three letters"],
    ["Infernus", "x".repeat(200), "more than anybody types"],
    ["Infernus", "-", "no letters"],
    ["", "abc", "no name"],
  ])("marks nothing in %j by %j: %s", (name, query) => {
    expect(nearParts(name, query)).toEqual([{ text: name, marked: false }]);
  });

  it("can ask for all that was typed", () => {
    expect(bracketed(nearParts("Desert Eagle", "desrt xyzzy", { whole: true }))).toBe("Desert Eagle");
    expect(bracketed(nearParts("Desert Eagle", "desrt egle", { whole: true }))).toBe("[Des]e[rt] [E]a[gle]");
  });

  it.each([
    ["Бронежилет", "bronezhilet", "[Бронежилет]", "one letter that is two"],
    ["Бронежилет", "bronejilet", "[Бронежилет]", "or one"],
    ["Щука речная", "shchuka", "[Щука] речная", "or four"],
    ["Чёрный ящик", "chernyj yashik", "[Чёрны]й [ящик]", "several words"],
    ["Большая сумка", "bolshaya", "[Большая] сумка", "a letter that is silent"],
    ["Соль морская", "sol", "[Соль] морская", "and at the end"],
    ["Infernus", "инфернус", "[Infernus]", "a Latin name in Cyrillic"],
    ["Sharpshooter", "шарп", "[Sharp]shooter", "two letters that are one"],
    ["Реликвия Лит K3", "лит к3", "Реликвия [Лит K3]", "a short word"],
    ["NRG-500", "нрг500", "[NRG-500]", "words typed as one"],
    ["Меч", "mech", "[Меч]", "all of a short name"],
  ])("marks by sound in %s by %s: %s (%s)", (name, query, expected) => {
    expect(bracketed(nearParts(name, query, { bySound: true }))).toBe(expected);
  });
});

import { describe, expect, it } from "vitest";
import { Catalogue, type CatalogueRecord } from "../../bench/search-quality/catalogue.ts";
import { CYRILLIC_HABITS, toCyrillic } from "../../bench/search-quality/classes/cyrillic-habits.ts";
import { LATIN_HABITS, toLatin } from "../../bench/search-quality/classes/latin-habits.ts";
import { RUSSIAN, retype, US } from "../../bench/search-quality/classes/layout.ts";
import { QUERY_CLASSES } from "../../bench/search-quality/classes.ts";
import { fold } from "../../bench/search-quality/fold.ts";
import { makeQueries } from "../../bench/search-quality/query-class.ts";
import { Random } from "../../bench/search-quality/random.ts";
import { scoreAnswers } from "../../bench/search-quality/score.ts";

const RECORDS: CatalogueRecord[] = [
  { id: "1", name: "Sniper Rifle", names: { en: "Sniper Rifle", ru: "Снайперская винтовка" } },
  { id: "2", name: "Sniper Rifle", names: { en: "Sniper Rifle", ru: "Винтовка снайпера" } },
  { id: "3", name: "Sniper Ammo Box", names: { en: "Sniper Ammo Box", ru: "Ящик с патронами" } },
  { id: "4", name: "NRG-500", names: {} },
  { id: "9", name: "Bronze Alarm Clock", names: {} },
  { id: "5", name: "Чёрный плащ", names: {} },
  { id: "6", name: "Chemise de Néophyte", names: { fr: "Chemise de Néophyte", en: "Neophyte's Shirt" } },
  { id: "7", name: "Infernus", names: { en: "Infernus", ru: "Инфернус" } },
  { id: "8", name: "Bulletproof Jacket", names: { en: "Bulletproof Jacket", ru: "Бронежилет" } },
  { id: "10", name: "ビームライフル", names: { ja: "ビームライフル", zh: "光束步槍" } },
  ...["Golden Золотой", "Rusty Ржавый", "Water Водяной"].map((words, n) => {
    const [en, ru] = words.split(" ");
    const names = { en: `${en} Pistol`, ru: `${ru} пистолет` };
    return {
      id: `pistol-${n}`,
      name: names.en,
      names,
      category: "Firearms",
      attributes: { quality: n === 0 ? "Epic" : "Common", note: `Note ${n}` },
    };
  }),
];
const catalogue = new Catalogue(RECORDS);

describe("the queries of the bench", () => {
  it.each(QUERY_CLASSES.map((queryClass) => [queryClass.name, queryClass] as const))(
    "are the same for a seed, and have right answers: %s",
    (_name, queryClass) => {
      const make = (seed: number) => makeQueries(queryClass, catalogue, { seed, count: 5 });
      const queries = make(1);
      expect(queries.map(({ text }) => text)).toEqual(make(1).map(({ text }) => text));
      for (const { hits, relevant } of queries) {
        const found = RECORDS.filter(({ id }) => hits.includes(id));
        expect(found).toHaveLength(hits.count);
        expect(found.every(({ id }) => relevant.includes(id))).toBe(true);
      }
    },
  );

  it("are made of names as people type them", () => {
    expect(fold("Néophyte's  Shirt! ЁЖ")).toBe("neophyte s shirt еж");
    expect([retype("gun", US, RUSSIAN), retype("пуля", RUSSIAN, US)]).toEqual(["пгт", "gekz"]);
    const random = new Random("habits");
    expect(LATIN_HABITS.map((habit) => toLatin("щука", habit))).toContain("shchuka");
    expect(CYRILLIC_HABITS.map((habit) => toCyrillic("Knife", habit, random))).toEqual(["книфе", "найф"]);
  });
});

describe("an answer", () => {
  it("is scored by where the record is that was meant", () => {
    const rifles = catalogue.named("Sniper Rifle");
    const query = { text: "sniper", meant: "Sniper Rifle", hits: rifles, relevant: rifles };
    const toAnswer = (id: string) => ({ id, label: "" });
    const score = (...ids: string[]) => scoreAnswers(query, ids.map(toAnswer));
    expect(score("1", "2")).toMatchObject({ "hit@1": 100, "precision@10": 100, "leading@10": 100, empty: 0 });
    expect(score("4", "1")).toMatchObject({ "hit@1": 0, "hit@3": 100, "precision@10": 50, "leading@10": 50 });
    expect(score()).toMatchObject({ "hit@10": 0, "precision@10": 0, empty: 100 });
  });
});

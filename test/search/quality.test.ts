import { describe, expect, it } from "vitest";
import { parseCall } from "../../bench/search-quality/arguments.ts";
import { Catalogue, type CatalogueRecord } from "../../bench/search-quality/catalogue.ts";
import { QUERY_CLASSES } from "../../bench/search-quality/classes/all.ts";
import { CYRILLIC_HABITS, toCyrillic } from "../../bench/search-quality/classes/cyrillic-habits.ts";
import { englishForm, russianForm } from "../../bench/search-quality/classes/endings.ts";
import { LATIN_HABITS, toLatin } from "../../bench/search-quality/classes/latin-habits.ts";
import { RUSSIAN, retype, US } from "../../bench/search-quality/classes/layout.ts";
import { misspell } from "../../bench/search-quality/classes/typos.ts";
import { cutName } from "../../bench/search-quality/cut.ts";
import { percentEncode } from "../../bench/search-quality/engines/almanac.ts";
import { fold, scriptOf } from "../../bench/search-quality/fold.ts";
import { type LabelledQuery, makeQueries, type QueryClass } from "../../bench/search-quality/query-class.ts";
import { Random } from "../../bench/search-quality/random.ts";
import {
  type ClassReport,
  describeTargets,
  isFailing,
  meanReport,
} from "../../bench/search-quality/report.ts";
import {
  attainableHits,
  METRICS,
  meanScores,
  type Scores,
  scoreReply,
} from "../../bench/search-quality/score.ts";

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

describe("how names are compared", () => {
  it.each([
    ["Néophyte's  Shirt!", "neophyte s shirt"],
    ["ЧЁРНЫЙ плащ", "черный плащ"],
    ["ＮＲＧ－５００", "nrg 500"],
    ["Йод и иней", "йод и иней"],
    ["%_", ""],
    ["ガンダム", "ガンダム"],
  ])("%s becomes %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(fold(folded)).toBe(folded);
  });

  it("knows the alphabet of a name", () => {
    expect(["NRG-500", "Плащ", "Звeзда", "500", "剣"].map(scriptOf)).toEqual([
      "latin",
      "cyrillic",
      "mixed",
      "other",
      "other",
    ]);
  });
});

describe("which answers are right", () => {
  const ids = RECORDS.map(({ id }) => id);

  it("every record with that very name", () => {
    const { includes, count } = catalogue.named("SNIPER rifle");
    expect(ids.filter(includes)).toEqual(["1", "2"]);
    expect(count).toBe(2);
  });

  it("a beginning in any language", () => {
    expect(ids.filter(catalogue.beginning("Sniper").includes)).toEqual(["1", "2", "3"]);
    expect(ids.filter(catalogue.beginning("винт").includes)).toEqual(["2"]);
    expect(catalogue.beginning("sniper").count).toBe(3);
  });

  it("words that begin with all parts, in one name", () => {
    expect(ids.filter(catalogue.withWords(["rif", "sni"]).includes)).toEqual(["1", "2"]);
    expect(ids.filter(catalogue.withWords(["rif", "вин"]).includes)).toEqual([]);
    expect(ids.filter(catalogue.withWords(["ifle"]).includes)).toEqual([]);
    expect(ids.filter(catalogue.holding("ifle").includes)).toEqual(["1", "2"]);
  });

  it("names that several records share are drawn once", () => {
    expect(catalogue.names.filter(({ text }) => text === "Sniper Rifle").length).toBe(1);
    expect(catalogue.names.filter(({ id }) => id === "6").map(({ language }) => language)).toEqual([
      "fr",
      "en",
    ]);
  });

  it("a misspelling that is the beginning of another record's name says something else", () => {
    const rifles = catalogue.named("Sniper Rifle");
    expect(catalogue.isAmbiguous("sniper", rifles)).toBe(true);
    expect(catalogue.isAmbiguous("sniper ri", rifles)).toBe(false);
    expect(catalogue.isAmbiguous("snipr", rifles)).toBe(false);
    expect(catalogue.isAmbiguous("-", { includes: () => true, count: RECORDS.length })).toBe(true);
    expect(catalogue.isAmbiguous("rifl", rifles)).toBe(false);
    expect(catalogue.isAmbiguous("box am", rifles)).toBe(true);
  });
});

describe("the query set", () => {
  const make = (seed: number, count = 20) =>
    QUERY_CLASSES.map((queryClass) => makeQueries(queryClass, catalogue, { seed, count }));

  it("is the same for the same seed, and another one for another", () => {
    const texts = (queries: LabelledQuery[][]) => queries.map((each) => each.map(({ text }) => text));
    expect(texts(make(1))).toEqual(texts(make(1)));
    expect(texts(make(1))).not.toEqual(texts(make(2)));
  });

  it("has queries of every class, none twice", () => {
    for (const [place, queries] of make(1).entries()) {
      expect(queries.length, QUERY_CLASSES[place]?.name).toBeGreaterThan(0);
      expect(queries.length).toBeLessThanOrEqual(20);
      expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
    }
  });

  it("knows for every query a record that is looked for, which is no noise", () => {
    for (const [place, queries] of make(3).entries()) {
      const { name = "", targets = [] } = QUERY_CLASSES[place] ?? {};
      if (targets.some(({ metric }) => metric === "sound" || metric === "empty")) continue;
      for (const { text, hits, relevant } of queries) {
        const wanted = RECORDS.filter(({ id }) => hits.includes(id));
        expect(wanted.length, `${name}: ${text}`).toBeGreaterThan(0);
        expect(
          wanted.every(({ id }) => relevant.includes(id)),
          `${name}: ${text}`,
        ).toBe(true);
      }
    }
  });

  it("draws only from the requested languages", () => {
    const queries = makeQueries(classNamed("exact, any case"), catalogue, {
      seed: 1,
      count: 50,
      languages: ["ru"],
    });
    expect(new Set(queries.map(({ text }) => scriptOf(text)))).toEqual(new Set(["cyrillic"]));
  });

  it("holds no letters at random that a name holds, spaces aside", () => {
    expect(catalogue.holdsLetters("perRif")).toBe(true);
    expect(catalogue.holdsLetters("rifper")).toBe(false);
    class Everything extends Catalogue {
      override holdsLetters = () => true;
    }
    expect(queriesOf("letters at random", new Everything(RECORDS))).toEqual([]);
  });

  it("holds no half-typed name of more than three fifths", () => {
    const cuts = Array.from({ length: 100 }, (_, seed) => cutName("abcdefghij", 4, new Random(`${seed}`)));
    expect(new Set(cuts.map((cut) => cut?.length))).toEqual(new Set([4, 5, 6]));
    expect(cutName("abcdef", 4, new Random(""))).toBeUndefined();
  });

  it("holds no word that look-alikes turn into one of the other alphabet", () => {
    const relics = new Catalogue([{ id: "1", name: "Axi T7", names: {} }]);
    const texts = queriesOf("ligatures, full width, look-alikes", relics).map(({ text }) => text);
    expect(texts).toContain("Aхi T7");
    expect(texts.filter((text) => text.endsWith("Т7"))).toEqual([]);
  });

  it("holds no changed name that is another record's", () => {
    const rifles = ["AK-47", "AK47"].map((name) => ({ id: name, name, names: {} }));
    const wrong = queriesOf("punctuation left out or changed", new Catalogue(rifles)).filter(
      ({ text, hits }) => fold(text) === "ak47" && hits.includes("AK-47"),
    );
    expect(wrong).toEqual([]);
  });

  it("expects nothing of text without letters", () => {
    const silent = queriesOf("hostile text", catalogue).filter(({ text }) => fold(text) === "");
    expect(silent.length).toBeGreaterThan(5);
    expect(silent.map(({ relevant }) => relevant.count)).toEqual(silent.map(() => 0));
  });
});

describe("typos", () => {
  const edits = Array.from({ length: 400 }, (_, seed) =>
    misspell("bulletproof jacket", 1, "latin", new Random(`${seed}`)),
  ).filter((typed) => typed !== undefined);

  it("are one edit away", () => {
    expect(edits.length).toBeGreaterThan(350);
    expect(edits.map((typed) => editDistance(typed, "bulletproof jacket"))).toEqual(edits.map(() => 1));
  });

  it("leave out, add and replace letters anywhere, the space included", () => {
    const lengths = edits.map((typed) => typed.length - "bulletproof jacket".length);
    for (const change of [-1, 0, 1]) {
      expect(lengths.filter((each) => each === change).length).toBeGreaterThan(50);
    }
    expect(edits).toContain("bulletproofjacket");
    expect(edits.some((typed) => !typed.startsWith("b"))).toBe(true);
  });

  it("are none where they change nothing that counts", () => {
    const typed = Array.from({ length: 100 }, (_, seed) =>
      misspell("a--", 1, "latin", new Random(`${seed}`)),
    );
    expect(typed.map((each) => each && fold(each))).not.toContain("a");
  });
});

describe("transliteration", () => {
  it.each([
    ["GOST 7.79 B", "bronezhilet", "shhyogol` s cepocz"],
    ["passport", "bronezhilet", "shchegol s tsepots"],
    ["BGN/PCGN", "bronezhilet", "shchyegol' s tsepots"],
    ["scientific, no diacritics", "bronezilet", "scegol' s cepoc"],
    ["chat", "bronejilet", "wegol s cepoc"],
    ["German", "broneschilet", "schtschjogol s zepoz"],
  ])("%s", (name, vest, dandy) => {
    const habit = LATIN_HABITS.find((each) => each.name === name);
    if (!habit) throw new Error(`no habit ${name}`);
    expect(toLatin("бронежилет", habit)).toBe(vest);
    expect(toLatin("щёголь с цепоц", habit)).toBe(dandy);
  });

  it("begins words with ye where that is the habit, and keeps capitals", () => {
    const habit = LATIN_HABITS.find(({ name }) => name === "BGN/PCGN");
    expect(habit && toLatin("Ель, Ёлка и Щит", habit)).toBe("Yel', Yelka i Shchit");
  });

  it.each([
    ["Infernus", "инфернус", "инфернус"],
    ["Shotgun", "схотгун", "шотгун"],
    ["Quick Box", "куикк бокс", "квик бокс"],
    ["Knight Blade", "книгхт бладе", "найт блейд"],
    ["Phoenix", "пхоеникс", "фоеникс"],
  ])("%s letter by letter and by sound", (name, letters, sound) => {
    expect(CYRILLIC_HABITS.map((habit) => toCyrillic(name, habit, new Random(name)))).toEqual([
      letters,
      sound,
    ]);
  });
});

describe("keyboard layouts", () => {
  it("have each key once, in the same places", () => {
    expect(US.length).toBe(RUSSIAN.length);
    expect(new Set(US).size).toBe(US.length);
  });

  it.each([
    ["пистолет", RUSSIAN, US, "gbcnjktn"],
    ["Infernus", US, RUSSIAN, "Штауктгы"],
    ["Neophyte's Shirt", US, RUSSIAN, "Тущзрнеуэы Ыршке"],
  ])("%s", (meant, from, to, typed) => {
    expect(retype(meant, from, to)).toBe(typed);
    expect(retype(typed, to, from)).toBe(meant);
  });

  it("have no key for every letter", () => {
    expect(retype("Néo", US, RUSSIAN)).toBeUndefined();
  });
});

describe("endings", () => {
  it.each([
    ["sword", "swords"],
    ["swords", "sword"],
    ["berry", "berries"],
    ["berries", "berry"],
    ["box", "boxes"],
    ["torches", "torch"],
    ["compass", "compasses"],
  ])("%s becomes %s", (word, form) => {
    expect(englishForm(word)).toBe(form);
  });

  it.each([
    ["пистолет", ["пистолета", "пистолету", "пистолетом", "пистолеты", "пистолетов", "пистолетами"]],
    ["винтовка", ["винтовки", "винтовку", "винтовкой", "винтовке", "винтовками"]],
    ["черный", ["черного", "черному", "черным", "черном", "черные", "черных", "черная"]],
    ["такси", ["такси"]],
  ])("%s has the forms %j", (word, forms) => {
    const made = Array.from({ length: 200 }, (_, seed) => russianForm(word, new Random(`${seed}`)));
    expect(new Set(made)).toEqual(new Set(forms));
  });
});

describe("scores", () => {
  const answer = (...ids: string[]) => ({ answers: ids.map((id) => ({ id, label: id })) });
  const query: LabelledQuery = {
    text: "sniper",
    meant: "",
    hits: catalogue.named("Sniper Ammo Box"),
    relevant: catalogue.beginning("sniper"),
  };

  it("count the place of the first record that is looked for", () => {
    const scores = scoreReply(query, answer("7", "1", "3"));
    expect(scores).toMatchObject({ "hit@1": 0, "hit@3": 100, "hit@10": 100, mrr: 100 / 3 });
    expect(scores["precision@10"]).toBeCloseTo(200 / 3);
    expect(scores["leading@10"]).toBeCloseTo(200 / 3);
  });

  it("expect no more hits than chance gives where many share what was typed", () => {
    expect(attainableHits(query)).toBe(100);
    const shared = { ...query, relevant: { includes: () => true, count: 40 } };
    expect(attainableHits(shared)).toBeCloseTo(25);
    expect(attainableHits({ ...shared, hits: { includes: () => true, count: 31 } })).toBe(100);
  });

  it("want the right answers first", () => {
    expect(scoreReply(query, answer("1", "2", "3", "7"))["leading@10"]).toBe(100);
    expect(scoreReply(query, answer("7", "1", "2", "3"))["leading@10"]).toBeCloseTo(200 / 3);
  });

  it("count an empty answer against precision where there is something to find, and for it where not", () => {
    expect(scoreReply(query, answer())).toMatchObject({ "precision@10": 0, empty: 100, "hit@10": 0 });
    const nothing = { includes: () => false, count: 0 };
    const noise = { ...query, hits: nothing, relevant: nothing };
    expect(scoreReply(noise, answer())).toMatchObject({ "precision@10": 100, empty: 100 });
    expect(scoreReply(noise, answer("1"))).toMatchObject({ "precision@10": 0, empty: 0 });
  });

  it("call an error unsound, and a page of anything for no letters at all", () => {
    const nothing = { includes: () => false, count: 0 };
    const percent = { ...query, text: "%", hits: nothing, relevant: nothing };
    const page = answer(..."0123456789");
    expect(scoreReply(percent, page).sound).toBe(0);
    expect(scoreReply({ ...percent, text: "a%" }, page).sound).toBe(100);
    const all = { includes: () => true, count: 10 };
    expect(scoreReply({ ...percent, text: "☃", relevant: all }, page).sound).toBe(100);
    expect(scoreReply(percent, answer()).sound).toBe(100);
    expect(scoreReply(query, { answers: [], failed: "status 500" })).toMatchObject({ sound: 0, empty: 0 });
  });
});

describe("the report", () => {
  const queryClass = classNamed("exact, any case");
  const scored = (value: number): Scores =>
    Object.fromEntries(METRICS.map((metric) => [metric, value])) as Scores;
  const report = (...values: number[]): ClassReport => ({
    queryClass,
    queries: 10,
    attainable: 100,
    results: values.map((value, place) => ({
      engine: place === 0 ? "Almanac" : `peer ${place}`,
      result: { scores: scored(value), medianMs: 1, misses: [] },
    })),
  });

  it("marks what is below its target or behind a peer", () => {
    const lines = (...values: number[]) => describeTargets([report(...values)])[1] ?? "";
    expect(lines(99.5, 99.5)).not.toMatch(/below|behind/);
    expect(lines(99.4, 99.4)).toMatch(/below what is asked$/);
    expect(lines(99.6, 90, 99.7)).toMatch(/behind a peer$/);
    expect(isFailing([report(99.5, 99.5)])).toBe(false);
    expect(isFailing([report(99.6, 99.7)])).toBe(true);
  });

  it("asks for no more hits than can be had", () => {
    const prefix = classNamed("prefix, English");
    const shared = (attainable: number) =>
      isFailing([{ ...report(60), queryClass: hitsOnly(prefix), attainable }]);
    expect([shared(100), shared(50)]).toEqual([true, false]);
  });

  it("compares no peers where finding nothing wins", () => {
    const noise = classNamed("letters at random");
    expect(isFailing([{ ...report(98, 100), queryClass: noise }])).toBe(false);
    expect(isFailing([{ ...report(96, 90), queryClass: noise }])).toBe(true);
  });

  it("averages runs, leaving out those without queries", () => {
    const empty = { ...report(Number.NaN), queries: 0 };
    const mean = meanReport([[report(90, 80)], [report(100, 90)], [empty]]);
    expect(mean[0]?.queries).toBe(20);
    expect(mean[0]?.results.map(({ result }) => result.scores.mrr)).toEqual([95, 85]);
    expect(meanScores([scored(1), scored(2)]).mrr).toBe(1.5);
  });
});

describe("the call", () => {
  it("has seeds from the first one on", () => {
    expect(parseCall(["--seed", "4", "--seeds", "3"]).seeds).toEqual([4, 5, 6]);
    expect(parseCall(["--languages", "en,ru"]).languages).toEqual(["en", "ru"]);
  });

  it("is refused where it makes no sense", () => {
    expect(() => parseCall(["--kind", "houses"])).toThrow("--kind");
    expect(() => parseCall(["--seeds", "x"])).toThrow("--seeds");
    expect(() => parseCall(["--unknown"])).toThrow("--unknown");
  });
});

it("sends lone surrogates as a careless client does", () => {
  expect(percentEncode("a\ud800 ё&")).toBe("a%ED%A0%80%20%D1%91%26");
});

function queriesOf(className: string, from: Catalogue): LabelledQuery[] {
  return makeQueries(classNamed(className), from, { seed: 1, count: 100 });
}

function classNamed(className: string): QueryClass {
  const queryClass = QUERY_CLASSES.find(({ name }) => name === className);
  if (!queryClass) throw new Error(`no class ${className}`);
  return queryClass;
}

function hitsOnly(queryClass: QueryClass): QueryClass {
  return { ...queryClass, targets: queryClass.targets.filter(({ metric }) => metric === "hit@10") };
}

/** Damerau and Levenshtein's distance, where no part is edited twice. */
function editDistance(left: string, right: string): number {
  const rows = [...left, ""].map((_, row) => [row, ...Array.from(right, () => 0)]);
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.NaN;
  rows[0] = [...right, ""].map((_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const current = rows[row];
      if (!current) continue;
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + same,
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(left.length, right.length);
}

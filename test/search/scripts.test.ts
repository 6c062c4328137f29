import { describe, expect, it } from "vitest";
import { hasWords } from "../../src/search/letters.ts";
import { namesToShow } from "../../src/search/shown-names.ts";
import { bracketed, indexOf, recordOf } from "../helpers/search.ts";

const NAMES = {
  basket: "장바구니",
  "big-basket": "큰 장바구니",
  chicken: "닭고기",
  price: "값비싼 과일",
  father: "아버지",
  book: "كِتَابٌ",
  school: "مدرسة",
  faith: "إيمان",
  keyboard: "صفحه‌کلید فارسی",
  answer: "مسؤول",
  peace: "שָׁלוֹם",
  kings: "מלכים",
  "persian-3": "بازی ۳",
  "arabic-12": "لعبة ١٢",
  "hindi-45": "खेल ४५",
  "thai-67": "เกม ๖๗",
  "wide-89": "ゲーム８９",
};

const index = indexOf(Object.entries(NAMES).map(([id, name]) => recordOf({ id, name })));

function search(query: string) {
  const { hits } = index.search(query, { limit: 20, offset: 0 });
  return hits.map(({ record: { id, name }, match }) => ({ id, name, match }));
}

/** The first name of a hit with brackets round what is marked. */
function marked(hit: { name: string; match: string }, query: string): string {
  return bracketed(namesToShow(hit, query, "en")[0].parts);
}

describe("a search in Korean", () => {
  it.each([
    ["장ㅂ", "[장바]구니"],
    ["장바", "[장바]구니"],
    ["장박", "[장바구]니"],
    ["장바구닝", undefined],
    ["ㅈ", "[장]바구니"],
    ["ㅈㅂㄱㄴ", "[장바구니]"],
    ["장ㅂㄱ", "[장바구]니"],
    ["바ㄱ", "장[바구]니"],
    ["장바구니".normalize("NFD"), "[장바구니]"],
    ["ㅈㄱㄴ", undefined],
  ])("finds %s as it is typed, and marks %s", (query, expected) => {
    const hits = search(query);
    const hit = hits.find(({ id }) => id === "basket");
    if (expected !== undefined || hit?.match !== "fuzzy") {
      expect(hit && marked(hit, query)).toBe(expected);
      expect(hits.map(({ id }) => id).includes("big-basket")).toBe(expected !== undefined);
    }
    expect(hasWords("큰 장바구니", query)).toBe(expected !== undefined);
  });

  it.each([
    ["닭", "chicken", "[닭]고기"],
    ["ㄷㄱㄱ", "chicken", "[닭고기]"],
    ["ㄱㅂㅆ ㄱㅇ", "price", "[값비싼] [과일]"],
    ["ㄳ", "price", undefined],
    ["고", "price", "값비싼 [과]일"],
    ["값비싼 괄", "price", undefined],
    ["ㅇㅂㅈ", "father", "[아버지]"],
  ])("finds %s, of %s", (query, id, expected) => {
    const hit = search(query).find((each) => each.id === id);
    if (expected === undefined) expect(["fuzzy", undefined]).toContain(hit?.match);
    else expect(hit && marked(hit, query)).toBe(expected);
  });

  it.each([
    ["ㅋㅈㅂㄱㄴ", "big-basket"],
    ["ㄱㅂㅆㄱㅇ", "price"],
    ["큰장바", "big-basket"],
  ])("finds %s, typed without a space, of %s", (query, id) => {
    expect(search(query).map((each) => each.id)).toEqual([id]);
  });

  it("finds what has changed since the index was built", () => {
    index.change([recordOf({ id: "window", name: "유리창문" })], []);
    for (const query of ["ㅇㄹㅊㅁ", "유맃", "ㅊㅁ"])
      expect(search(query).map(({ id }) => id)).toEqual(["window"]);
  });
});

describe("a search in Arabic and Hebrew", () => {
  it.each([
    ["كتاب", "book", "[كِتَابٌ]", "without vowel marks"],
    ["كُتّاب", "book", "[كِتَابٌ]", "with other vowel marks"],
    ["کتاب", "book", "[كِتَابٌ]", "with the Persian k"],
    ["مدرسه", "school", "[مدرسة]", "with h for the feminine ending"],
    ["ايمان", "faith", "[إيمان]", "without hamza"],
    ["إیمان", "faith", "[إيمان]", "with the Persian y"],
    ["ﺇﻳﻤﺎﻥ", "faith", "[إيمان]", "in presentation forms"],
    ["مسوول", "answer", "[مسؤول]", "without the hamza on w"],
    ["صفحهکلید", "keyboard", "[صفحه‌کلید] فارسی", "without the sign that parts letters"],
    ["שלום", "peace", "[שָׁלוֹם]", "without points"],
    ["מלך", "kings", "[מלכ]ים", "with a letter that is the last so far"],
  ])("finds %s, %s as %s, %s", (query, id, expected) => {
    const hit = search(query).find((each) => each.id === id);
    expect(hit && marked(hit, query)).toBe(expected);
    expect(hasWords(NAMES[id as keyof typeof NAMES], query)).toBe(true);
  });
});

describe("a search for a number", () => {
  it.each([
    ["٣", "persian-3"],
    ["۱۲", "arabic-12"],
    ["45", "hindi-45"],
    ["६७", "thai-67"],
    ["८９", "wide-89"],
    ["hindi-٤۵", "hindi-45"],
  ])("finds %s in any digits, of %s", (query, id) => {
    expect(search(query).map((each) => each.id)).toContain(id);
    expect(hasWords(`${id} ${NAMES[id as keyof typeof NAMES]}`, query)).toBe(true);
  });
});

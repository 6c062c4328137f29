import { letterTable } from "./letters.ts";

/** The parts of a Hangul syllable (initial, vowel, final), in Unicode's order. */
const initials = "g kk n d tt r m b pp s ss  j jj ch k t p h".split(" ");
const vowels = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ");
const finals = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ");
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = initials.length * vowels.length * finals.length;

/** Usual spellings of family names that differ from the rules of romanisation. */
const families = letterTable(
  "김=kim 이=lee 박=park 최=choi 정=jung 조=cho 윤=yoon 임=lim 오=oh 신=shin 안=ahn 유=yoo 고=ko 문=moon 손=son 허=heo " +
    "심=shim 노=noh 곽=kwak 성=sung 주=joo 우=woo 구=koo 류=ryu 강=kang 권=kwon",
);

/** Romanises a name in Hangul by the Revised Romanization of Korea; a lone syllable as a family name. */
export function romaniseHangul(word: string): string {
  return families.get(word) ?? Array.from(word, romaniseSyllable).join("");
}

function romaniseSyllable(syllable: string): string {
  const index = syllable.charCodeAt(0) - FIRST_SYLLABLE;
  if (index < 0 || index >= SYLLABLES) return syllable;
  const initial = initials[Math.floor(index / (vowels.length * finals.length))];
  const vowel = vowels[Math.floor(index / finals.length) % vowels.length];
  return `${initial}${vowel}${finals[index % finals.length]}`;
}

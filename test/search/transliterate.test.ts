import { describe, expect, it } from "vitest";
import { normaliseName } from "../../src/search/normalise.ts";
import { soundKey, soundKeys, withoutSoftSigns } from "../../src/search/transliterate.ts";
import { CYRILLIC_SPELLINGS, LATIN_SPELLINGS } from "../helpers/spellings.ts";

const RUSSIAN = (
  "пистолет винтовка пулемёт дробовик граната нож щит бронежилет броня перчатки куртка рубашка плащ шляпа шарф рюкзак " +
  "ключ аптечка зажигалка рыба лодка корабль вертолёт самолёт машина мотоцикл велосипед поезд полицейский дальнобойщик " +
  "шахтёр фермер цветок цепь часы ящик юбка яхта эскимо эликсир объект съезд подъём вьюга ружьё копьё объявление чёрный " +
  "синий зелёный жёлтый хищный счастливый большой тихий железный лёгкий тяжёлый звёздный огненный шипящий светящийся"
).split(" ");

const ENGLISH = (
  "infernus sniper rifle pistol shotgun combat silenced desert eagle minigun grenade rocket launcher molotov knife " +
  "baseball katana parachute jetpack armour turismo cheetah banshee sultan buffalo comet phoenix hotring savanna blade " +
  "uranus jester tampa maverick hunter hydra rustler ranger ambulance firetruck stretch taxi coach quad wayfarer " +
  "freeway forklift monster journey coastguard arcane acceleration guardian victory shield sword crossbow chroma"
).split(" ");

/** As the search does it: every word of a query, without what the apostrophes of a transliteration would cut off. */
const keysOf = (typed: string) => soundKeys(normaliseName(withoutSoftSigns(typed)));
const keyOf = (word: string) => soundKey(normaliseName(word));

describe("Russian in Latin letters", () => {
  it.each(Object.entries(LATIN_SPELLINGS))("is found by its sound in %s", (_, spell) => {
    const missed = RUSSIAN.filter((word) => !keysOf(spell(word)).includes(keyOf(word)));
    expect(missed).toEqual([]);
  });

  it.each(Object.entries(LATIN_SPELLINGS))("is found half-typed in %s", (_, spell) => {
    const beginnings = RUSSIAN.flatMap((word) =>
      Array.from(
        { length: Math.max(0, word.length - 4) },
        (_, more) => [word.slice(0, 4 + more), keyOf(word)] as const,
      ),
    );
    const missed = beginnings.filter(
      ([cut, key]) => !keysOf(spell(cut)).some((typed) => key.startsWith(typed)),
    );
    expect(missed.length / beginnings.length).toBeLessThan(0.03);
  });

  it.each([
    ["бронежилет", "bronezhilet bronejilet bronegilet broneschilet"],
    ["чёрный", "chernyy chernyi chyornyj chornyi cherny 4ernyi tschornyj cernyj"],
    ["ночная", "nochnaya nočnaja no4naja no4naya"],
    ["щит", "shchit schit shhit wit chtchit szczit"],
    ["яхта", "yahta jaxta iakhta qhta"],
    ["съезд", "syezd sjezd sezd sieezd"],
    ["гвинтівка", "hvyntivka gvintivka"],
    ["їжак", "yizhak jizhak izhak"],
    ["європа", "yevropa evropa ievropa jevropa"],
  ])("%s is any of %s", (word, spellings) => {
    const missed = spellings.split(" ").filter((spelling) => !keysOf(spelling).includes(keyOf(word)));
    expect(missed).toEqual([]);
  });
});

describe("English in Cyrillic letters", () => {
  it.each(Object.entries(CYRILLIC_SPELLINGS))("is found by its sound, or nearly, %s", (name, spell) => {
    const missed = ENGLISH.filter(
      (word) => !keysOf(spell(word)).some((typed) => keyOf(word).startsWith(typed)),
    );
    expect(missed.length / ENGLISH.length, missed.join(" ")).toBeLessThan(name === "by sound" ? 0.2 : 0.05);
  });

  it.each([
    ["phoenix", "фоеникс пхоеникс"],
    ["launcher", "лаунчер лаункхер"],
    ["rifle", "рифле райфл"],
    ["blade", "бладе блейд блэйд"],
    ["action", "актион экшн экшен"],
    ["center", "сентер центер кентер"],
  ])("%s is any of %s", (word, spellings) => {
    const missed = spellings
      .split(" ")
      .filter((spelling) => !keysOf(spelling).some((typed) => keyOf(word).startsWith(typed)));
    expect(missed).toEqual([]);
  });
});

describe("soundKey", () => {
  it.each([[RUSSIAN], [ENGLISH]])("differs for different words", (words) => {
    expect(new Set(words.map(keyOf)).size).toBe(words.length);
  });

  it.each([
    ["рассчет", "расчет"],
    ["matthew", "matew"],
    ["ピストル", "pisutoru"],
    ["シャッター", "shatta"],
    ["チュペ", "chupe"],
    ["ヴァンパイア", "vanpaia"],
    ["キョウ", "kyou"],
  ])("of %s is that of %s", (word, other) => {
    expect(soundKey(word)).toBe(soundKey(other));
  });

  it.each([
    ["теннис", "tenis"],
    ["ак47", "ak47"],
    ["nrg500", "nrg500"],
    ["usbкабель", "usbkabel"],
  ])("of %s is %s", (word, key) => {
    expect(soundKey(word)).toBe(key);
  });

  it.each(["", "ь", "47", "漢字", "漢ピストル", "νησος", "тест漢", "❤"])("does not exist for %j", (word) => {
    expect(soundKey(word)).toBe("");
    expect(soundKeys(word)).toEqual([]);
  });
});

describe("withoutSoftSigns", () => {
  it.each([
    ["bol'shoj kon'", "bolshoj kon"],
    ["pod``ezd", "podezd"],
    ["ob’ekt", "obekt"],
    ["'quoted'", "'quoted"],
    ["5' 7''", "5' 7''"],
  ])("makes %s %s", (text, expected) => {
    expect(withoutSoftSigns(text)).toBe(expected);
  });
});

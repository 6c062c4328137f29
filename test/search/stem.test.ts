import { describe, expect, it } from "vitest";
import { stem } from "../../src/search/word-forms.ts";

describe("stem", () => {
  it.each([
    "sword swords",
    "box boxes",
    "axe axes",
    "watch watches",
    "glass glasses",
    "virus viruses",
    "promise promises",
    "hero heroes",
    "shoe shoes",
    "house houses",
    "battery batteries",
    "zombie zombies",
    "toy toys",
    "knee knees",
    "пистолет пистолета пистолету пистолетом пистолете пистолеты пистолетов пистолетам пистолетами пистолетах",
    "винтовка винтовки винтовку винтовке винтовкой винтовок винтовкам винтовками винтовках",
    "пушка пушек пушками",
    "клинок клинка клинки клинков",
    "конец конца концы концов",
    "броня брони броню броней",
    "оружие оружия оружию оружием",
    "лезвие лезвия лезвий лезвиями",
    "линия линии линию линией линиями",
    "сталь стали сталью",
    "нож ножа ножи ножей ножами",
    "трамвай трамвая трамваю трамваем трамваи трамваев",
    "копье копья копий копьями",
    "черный черного черному черным черном черная черную черной черное черные черных черными",
    "синий синего синему синим синем синяя синюю синей синее синие синих синими",
    "светящийся светящаяся светящиеся светящегося",
    "пістолет пістолети пістолетів пістолетами пістолетові",
    "зброя зброі зброю зброею",
    "чорний чорного чорна чорноі чорні чорних",
  ])("is one for %s", (forms) => {
    expect(new Set(forms.split(" ").map(stem)).size).toBe(1);
  });

  it.each([
    "car care cart",
    "gas glass grass",
    "bus boss base",
    "pistol rifle sword armor",
    "меч мяч луч",
    "лук люк лак",
    "пистолет пулемет самолет",
    "черный красный синий белый",
    "пушка пуля",
  ])("keeps apart %s", (text) => {
    const words = text.split(" ");
    expect(new Set(words.map(stem)).size).toBe(words.length);
  });

  it.each([
    ["vi", "6"],
    ["six", "6"],
    ["6", "6"],
    ["xxxix", "39"],
    ["xl", "xl"],
    ["iiii", "iiii"],
  ])("of the number %s is %s", (word, number) => {
    expect(stem(word)).toBe(number);
  });
});

import { describe, expect, it } from "vitest";
import { stem } from "../../src/search/word-forms.ts";

describe("stem", () => {
  it.each([
    "box boxes",
    "watch watches",
    "glass glasses",
    "virus viruses",
    "hero heroes",
    "battery batteries",
    "toy toys",
    "knee knees",
    "пистолет пистолета пистолету пистолетом пистолете пистолеты пистолетов пистолетам пистолетами пистолетах",
    "винтовка винтовки винтовку винтовке винтовкой винтовок винтовкам винтовками винтовках",
    "пушка пушек пушками",
    "клинок клинка клинки клинков",
    "конец конца концы концов",
    "лезвие лезвия лезвий лезвиями",
    "трамвай трамвая трамваю трамваем трамваи трамваев",
    "копье копья копий копьями",
    "черный черного черному черным черном черная черную черной черное черные черных черными",
    "синий синего синему синим синем синяя синюю синей синее синие синих синими",
    "светящийся светящаяся светящиеся светящегося",
    "пістолет пістолети пістолетів пістолетами пістолетові",
    "чорний чорного чорна чорноі чорні чорних",
    "6 vi six",
    "39 xxxix",
  ])("is one for %s", (forms) => {
    expect(new Set(forms.split(" ").map(stem)).size).toBe(1);
  });

  it.each(["car care cart", "pistol rifle sword armor", "меч мяч луч", "40 xl", "4 iiii"])(
    "keeps apart %s",
    (text) => {
      const words = text.split(" ");
      expect(new Set(words.map(stem)).size).toBe(words.length);
    },
  );
});

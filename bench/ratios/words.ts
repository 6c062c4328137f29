import type { Draw } from "../../src/nicknames/random.ts";

/** A word and what it is called in Russian. */
export type WordPair = readonly [english: string, russian: string];

/** The words of a catalogue, the common ones first. */
export interface Vocabulary {
  readonly adjectives: readonly WordPair[];
  readonly nouns: readonly WordPair[];
  /** Names of makers and places, which the other language only spells in its own letters. */
  readonly names: readonly WordPair[];
}

const ADJECTIVES = pairs(`
  Heavy Тяжёлый, Silent Бесшумный, Golden Золотой, Broken Сломанный, Ancient Древний, Frozen Замёрзший, Red Красный,
  Crimson Багровый, Black Чёрный, White Белый, Steel Стальной, Wooden Деревянный, Small Малый, Large Большой,
  Old Старый, Rare Редкий, Holy Священный, Cursed Проклятый, Electric Электрический, Long Длинный, Short Короткий,
  Sharp Острый, Dark Тёмный, Bright Яркий, Royal Королевский, Wild Дикий, Silver Серебряный, Green Зелёный,
  Military Военный, Sport Спортивный, Hidden Скрытый, Solid Прочный, Light Лёгкий, Fast Быстрый, Fiery Огненный`);

const NOUNS = pairs(`
  Pistol Пистолет, Shield Щит, Hammer Молот, Engine Двигатель, Blueprint Чертёж, Rifle Карабин, Knife Нож, Sword Меч,
  Vest Бронежилет, Parachute Парашют, Truck Грузовик, Key Ключ, Helmet Шлем, Shirt Пиджак, Ring Перстень, Bow Лук,
  Staff Посох, Axe Топор, Dagger Кинжал, Cloak Плащ, Belt Пояс, Crystal Кристалл, Scroll Свиток, Tractor Трактор,
  Bus Автобус, Boat Катер, Plane Самолёт, Wheel Диск, Filter Фильтр, Radiator Радиатор, Detector Детектор, Chest Сундук,
  Lantern Фонарь, Compass Компас, Backpack Рюкзак, Bandage Бинт, Grenade Снаряд, Machine Станок, Scope Прицел`);

const LATIN = {
  onsets:
    "b bl br c ch cr d dr f fl g gl gr h j k kr l m n p pl pr qu r s sh sk sl st str t th tr v w z".split(
      " ",
    ),
  vowels: "a a a e e i i o o u y ae ea ie oo ou".split(" "),
  codas: "_ _ _ _ l ld m n nd ng r rd rk rn s st t th x".replaceAll("_", "").split(" "),
};
const CYRILLIC = {
  onsets: "б бр в вр г гл гр д др ж з к кр л м н п пл пр р с ск сл ст стр т тр ф х ц ч ш щ".split(" "),
  vowels: "а а а е е и и о о у ы ю я ё".split(" "),
  codas: "_ _ _ _ л м н нт р рг рд рн с ст т ть х ш".replaceAll("_", "").split(" "),
};

/** How the sounds of an invented name are spelt in Russian; several letters before single ones. */
const SOUNDS = pairs(`
  sh ш, ch ч, th т, qu кв, oo у, ou ау, ae э, ea и, ie и, a а, b б, c к, d д, e е, f ф, g г, h х, i и, j дж, k к, l л,
  m м, n н, o о, p п, r р, s с, t т, u у, v в, w в, x кс, y и, z з`);

/**
 * A vocabulary that grows with the catalogue as Heaps' law has it, by the square root: 3,000 words for 10,000 names,
 * 30,000 for a million. Real words come first, invented ones after them.
 */
export function createVocabulary(records: number, draw: Draw): Vocabulary {
  const words = 30 * Math.sqrt(records);
  return {
    adjectives: extend(ADJECTIVES, words * 0.3, () => inventPair(draw, "ic", "ный")),
    nouns: extend(NOUNS, words * 0.4, () => inventPair(draw, "", "")),
    names: extend([], words * 0.3, () => {
      const name = invent(LATIN, draw);
      return [capitalise(name), capitalise(spell(name))];
    }),
  };
}

/** One by its rank: the n-th is n times as rare as the first (Zipf's law). */
export function pickByRank<Item>(words: readonly Item[], draw: Draw): Item {
  const rank = Math.floor((words.length + 1) ** (draw(1 << 20) / (1 << 20)));
  return words[rank - 1] as Item;
}

function extend(known: readonly WordPair[], count: number, make: () => WordPair): WordPair[] {
  const words = new Map<string, WordPair>(known.map((pair) => [pair[0], pair]));
  while (words.size < count) {
    const pair = make();
    words.set(pair[0], pair);
  }
  return [...words.values()];
}

function inventPair(draw: Draw, englishEnding: string, russianEnding: string): WordPair {
  return [
    capitalise(invent(LATIN, draw) + englishEnding),
    capitalise(invent(CYRILLIC, draw) + russianEnding),
  ];
}

function invent({ onsets, vowels, codas }: typeof LATIN, draw: Draw): string {
  const syllables = 2 + draw(2);
  let word = "";
  for (let n = 0; n < syllables; n++) {
    for (const sounds of [onsets, vowels, n === syllables - 1 ? codas : codas.slice(0, 8)]) {
      word += sounds[draw(sounds.length)] ?? "";
    }
  }
  return word;
}

function spell(name: string): string {
  let spelt = "";
  for (let at = 0; at < name.length; ) {
    const [sound, letters] = SOUNDS.find(([latin]) => name.startsWith(latin, at)) ?? ["?", ""];
    spelt += letters;
    at += sound.length;
  }
  return spelt;
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function pairs(text: string): WordPair[] {
  return text.split(",").map((pair) => {
    const [left = "", right = ""] = pair.trim().split(" ");
    return [left, right];
  });
}

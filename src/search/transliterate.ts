/** How many readings of one typed word are tried. */
const MOST_KEYS = 8;
/** How many partial readings are kept: several may end in the same key. */
const MOST_READINGS = 16;

/**
 * The rough sound of a normalised word, in a–z and digits. It is equal for a Russian or Ukrainian word, or one in
 * katakana, and its usual Latin spellings, and for a Latin word and its usual Cyrillic ones. Ambiguous words are read
 * in the likeliest way. The key of a word's beginning is mostly the beginning of the word's key. "" for words without
 * letters or of other alphabets.
 */
export function soundKey(word: string): string {
  const letters = read(word, habitOf(word));
  return letters ? merge(letters.map(([likeliest]) => likeliest?.sound).join("")) : "";
}

/**
 * The possible sound keys of a typed word, likeliest first, at most 8. First `soundKey(word)`, then those by the
 * habits of writing Russian in Latin letters or English in Cyrillic ones. Empty if `soundKey` is "".
 */
export function soundKeys(word: string): string[] {
  const habits = LATIN.test(word) ? [NO_HABIT, ...HABITS] : [habitOf(word)];
  const readings = habits.flatMap((habit) => readingsOf(word, habit)).sort((a, b) => a.cost - b.cost);
  const keys = new Set(readings.map(({ sound }) => merge(sound)));
  keys.delete("");
  return [...keys].slice(0, MOST_KEYS);
}

/**
 * Removes the signs for ь and ъ in strict transliterations, and for э and ы in some, as `normaliseName` would split words
 * there: bol'shoj, pod``ezd, y'.
 */
export function withoutSoftSigns(text: string): string {
  return text.replace(SOFT_SIGNS, "");
}

/** How a word is read that is not in Latin letters. */
function habitOf(word: string): Habit {
  return KATAKANA.test(word) ? KANA : NO_HABIT;
}

const LATIN = /[a-z]/;
const KATAKANA = /\p{Script=Katakana}/u;
const LETTER = /\p{L}/u;
const SOFT_SIGNS = /(?<=\p{L})['"`´‘’ʹʺʼʽ′″]+/gu;

type Letters = readonly (readonly Reading[])[];

/** The likeliest ways to read a word written with a habit. */
function readingsOf(word: string, habit: Habit): Reading[] {
  const letters = read(word, habit);
  if (letters === undefined) return [];
  let beginnings: Reading[] = [{ sound: "", cost: habit.sign.test(word) ? 0 : habit.cost }];
  for (const readings of letters) {
    beginnings = beginnings.flatMap((beginning) =>
      readings.map(({ sound, cost }) => ({ sound: beginning.sound + sound, cost: beginning.cost + cost })),
    );
    if (readings.length > 1) beginnings = beginnings.sort((a, b) => a.cost - b.cost).slice(0, MOST_READINGS);
  }
  return beginnings;
}

/** The readings of each letter or digraph; undefined if one has none, or if there are only digits. */
function read(word: string, { pattern, spellings }: Habit): Letters | undefined {
  const parts = word.replace(LAST_SHORT_I, "").match(pattern) ?? [];
  const letters = parts.map((part) => spellings.get(part) ?? []);
  return LETTER.test(word) && letters.every((readings) => readings.length > 0) ? letters : undefined;
}

/** The last j of chornyj and sinij, which sounds like the letter before it, whatever j means elsewhere. */
const LAST_SHORT_I = /(?<=[iy])j$/;

/** Merges sounds that one alphabet writes as one letter and the other as two, and doubled ones. */
function merge(sounds: string): string {
  return sounds
    .replace(DOUBLED, "$1")
    .replace(MERGED, (pair) => MERGERS[pair] ?? pair)
    .replace(ROUND_E, "e")
    .replace(DOUBLED, "$1");
}

/** ё after ж, ч, ш and щ, which sounds like о but is е in normalised names. */
const ROUND_E = /(?<=[jqw])o/g;
const DOUBLED = /([a-z])\1+/g;
const MERGERS: Readonly<Record<string, string>> = {
  kh: "h",
  sh: "w",
  zh: "j",
  dj: "j",
  th: "t",
  ph: "f",
  tsh: "q",
  ts: "c",
  tz: "c",
  tw: "q",
  tq: "q",
  tc: "q",
  wq: "w",
  sq: "w",
};
const MERGED = /kh|sh|zh|dj|th|ph|tsh|t[szwqc]|[ws]q/g;

/** One way to read a spelling; a lower cost is likelier. */
export interface Reading {
  readonly sound: string;
  readonly cost: number;
}

/** How people write the words of one language in the letters of another. */
export interface Habit {
  /** What shows that the habit is used. */
  readonly sign: RegExp;
  /** How unlikely the habit is without that. */
  readonly cost: number;
  /** Splits a word into spellings, longest first; other letters one by one. */
  readonly pattern: RegExp;
  /** What each spelling may stand for, likeliest first. */
  readonly spellings: Spellings;
}

type Spellings = ReadonlyMap<string, readonly Reading[]>;

/**
 * Letters as mostly meant in English and Russian. Sounds are a–z, among them c ц, h х, j ж, q ч, w ш and щ, i и, й and ы;
 * - is silent. A less likely reading has its cost after a colon; without one its cost is its position.
 */
const LETTERS = table(`
  0 0 | 1 1 | 2 2 | 3 3 | 4 4 q | 5 5 | 6 6 w:2 | 7 7 | 8 8 | 9 9

  a a | b b | c k | d d | e e | f f | g g | h h g:3 | i i | j j | k k | l l | m m | n n | o o | p p | q k
  r r | s s | t t | u u | v v | w v | x ks | y i | z z
  ce se | ch q k:3 | ci si | ck k | cy si | cz c
  ge ge je:2 | gi gi ji:2 | ie ie e | ieia ieia ia | ieiu ieiu iu | igh i | io io e:2 | kh h | ph f | qu kv ku
  sch w | schtsch w | sh w | shch w | shh w | th t | ts c | tsch q | tz c | wh v | ye ie e | yo io e | zh j

  а a | б b | в v | г g h:3 | д d | е e | ж j g:3 | з z s:3 | и i e:3 ea:3 | й i | к k | л l | м m | н n | о o | п p
  р r | с s | т t | у u o:2 ou:3 v:3 | ф f | х h | ц c k s | ч q | ш w | щ w | ъ - | ы i | ь - | э e a:2 | ю iu u:2
  я ia a:3 | ґ g | є e | і i | ў u
  ай ai i | ау au ou | дж j g | ей ei a ai:2 | игх i | ке ke se:2 | кей kei ka | ки ki si:2 | кх h q | оу ou o | ткх q | уа ua va
  уэ ue ve va:2 | уи ui vi | уо uo vo | цх q c | шен wen tion:2 | шн wn tion | эй ei a ai:2
`);

/** Letters with their usual meaning. */
export const NO_HABIT: Habit = { sign: /^/, cost: 0, pattern: patternOf(LETTERS), spellings: LETTERS };

/** Katakana as romanised by Hepburn: https://en.wikipedia.org/wiki/Hepburn_romanization. ー and ッ are silent. */
export const KANA: Habit = habit(
  /^/,
  0,
  `
  ア a | イ i | ウ u | エ e | オ o | カ ka | キ ki | ク ku | ケ ke | コ ko | ガ ga | ギ gi | グ gu | ゲ ge | ゴ go
  サ sa | シ wi | ス su | セ se | ソ so | ザ za | ジ ji | ズ zu | ゼ ze | ゾ zo | タ ta | チ qi | ツ cu | テ te | ト to
  ダ da | ヂ ji | ヅ zu | デ de | ド do | ナ na | ニ ni | ヌ nu | ネ ne | ノ no | ハ ha | ヒ hi | フ fu | ヘ he | ホ ho
  バ ba | ビ bi | ブ bu | ベ be | ボ bo | パ pa | ピ pi | プ pu | ペ pe | ポ po | マ ma | ミ mi | ム mu | メ me | モ mo
  ヤ ia | ユ iu | ヨ io | ラ ra | リ ri | ル ru | レ re | ロ ro | ワ va | ヲ o | ン n m | ヴ vu | ー - | ッ -
  キャ kia | キュ kiu | キョ kio | ギャ gia | ギュ giu | ギョ gio | シャ wa | シュ wu | シェ we | ショ wo
  ジャ ja | ジュ ju | ジェ je | ジョ jo | チャ qa | チュ qu | チェ qe | チョ qo | ニャ nia | ニュ niu | ニョ nio
  ヒャ hia | ヒュ hiu | ヒョ hio | ビャ bia | ビュ biu | ビョ bio | ピャ pia | ピュ piu | ピョ pio
  ミャ mia | ミュ miu | ミョ mio | リャ ria | リュ riu | リョ rio | ファ fa | フィ fi | フェ fe | フォ fo
  ティ ti | ディ di | デュ diu | トゥ tu | ドゥ du | ウィ vi | ウェ ve | ウォ vo
  ヴァ va | ヴィ vi | ヴェ ve | ヴォ vo | ツァ ca | クァ kva`,
);

const SOFT_C = "c c | ce ce | ci ci | ck ck | cy ci";
const SHORT_I = "j i | je e ie | jo e io";

/** Habits of writing Russian in Latin letters, with the spellings that differ. */
export const HABITS: readonly Habit[] = [
  // https://en.wikipedia.org/wiki/ISO_9#GOST_7.79_System_B, and translit.net, whose w is щ
  habit(/j[aou]|[aeiouy]j(?![aeiouy])|x|shh|cz/, 1, `${SHORT_I} | ${SOFT_C} | sc sc | w w | x h`),
  // What is shortest to type: ж as j, х as x, ш as w or 6, ч as 4, ю as u, я as q
  habit(/[46x]|j[ie]/, 1, `${SOFT_C} | 4 q | 6 w | q ia | u u iu | w w | x h`),
  // https://en.wikipedia.org/wiki/Scientific_transliteration_of_Cyrillic without its háčeks
  habit(
    /^(?!.*(?:[ksz]h|sch|w)).*(?:j[aou]|[aeiouy]j(?![aeiouy]))/,
    3,
    `${SHORT_I} | c q c:1 | ce qe ce | ch h | ci qi ci | ck ck qk | cy ci | s s w | sc w sk:3 | x h | z z j`,
  ),
  // https://de.wikipedia.org/wiki/Kyrillisches_Alphabet, with s for с and з
  habit(
    /sch|w/,
    2,
    `${SHORT_I} | ch h | s z s | sch w j | sh j w | sk sk | sp sp | ss s | st st | tz tc c | z c`,
  ),
  // https://pl.wikipedia.org/wiki/Transkrypcja_języka_rosyjskiego without its accents
  habit(/sz|cz/, 3, `${SHORT_I} | ${SOFT_C} | ch h | cz q | sz w | szcz w | z z j`),
  // https://fr.wikipedia.org/wiki/Transcription_du_russe_en_français
  habit(/tch|ou|ch/, 4, "ch w | chtch w | iou iu | ou u | tch q"),
];

/** A habit with its own spellings, and those of `LETTERS` for all others. */
function habit(sign: RegExp, cost: number, own: string): Habit {
  const spellings = new Map([...LETTERS, ...table(own)]);
  return { sign, cost, pattern: patternOf(spellings), spellings };
}

function patternOf(spellings: Spellings): RegExp {
  const longestFirst = [...spellings.keys()].sort((a, b) => b.length - a.length);
  return new RegExp(`${longestFirst.join("|")}|.`, "gu");
}

function table(text: string): Spellings {
  const rows = text.trim().split(/\s*[|\n]\s*/);
  return new Map(
    rows.map((row) => {
      const [spelling = "", ...readings] = row.split(" ");
      return [spelling, readings.map(parseReading)];
    }),
  );
}

function parseReading(text: string, place: number): Reading {
  const [sound = "", cost = place] = text.split(":");
  return { sound: sound === "-" ? "" : sound, cost: Number(cost) };
}

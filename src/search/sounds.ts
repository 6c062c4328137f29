/** One way to read a spelling; the cheaper, the likelier. */
export interface Reading {
  readonly sound: string;
  readonly cost: number;
}

/** What each spelling, a letter or several, may stand for; the likeliest first. */
export type Spellings = ReadonlyMap<string, readonly Reading[]>;

/** A way of writing, and how much less likely it is than the commonest. */
export interface Habit {
  readonly cost: number;
  readonly spellings: Spellings;
}

const DIGITS = "0 0 | 1 1 | 2 2 | 3 3 | 4 4 | 5 5 | 6 6 | 7 7 | 8 8 | 9 9";

/**
 * Latin letters as in English words and in the commonest spellings of Russian ones. Sounds are a–z, among them c ц,
 * h х, j ж, q ч, w ш and щ, i и, й and ы. What is less likely has its cost after it, 1 if none is given.
 */
const LATIN = table(`
  ${DIGITS}
  4 4 q1 | 6 6 w2
  a a | b b | c k | d d | e e | f f | g g | h h g3 | i i | j j | k k | l l | m m | n n | o o | p p | q k | r r | s s
  t t | u u | v v | w v | x ks | y i | z z
  ce se | ci si | cy si | ch q k3 | ck k | ph f | th t | wh v | igh i | qu kv ku
  cz c | kh h | sch w | sh w | shch w | shh w | ts c | tz c | zh j
  ye ie e | yo io e | io io e2 | ie ie e | je je | jo jo
`);

/** Other habits of writing Russian in Latin letters: where they differ from the table above. */
const HABITS: readonly [cost: number, table: string][] = [
  // GOST 7.79, https://en.wikipedia.org/wiki/ISO_9#GOST_7.79_System_B, and translit.net
  [1, "j i | je e ie | jo e io | c c | ce ce | ci ci | cy ci | x h | w w | h h"],
  // Chat
  [1, "j j | w w | x h | c c | ce ce | ci ci | cy ci | u u iu | 4 q | 6 w | q ia"],
  // Scientific
  [2, "j i | je e ie | ch h | x h | c q c1 | ce qe ce | ci qi ci | cy ci | s s w1 | z z j1 | sc w sk3"],
  // German
  [2, "j i | je e ie | jo e io | ch h | z c | s z s | st st | sk sk | sp sp | ss s | sch w j1 | sh j w1 | schtsch w | tsch q"],
  // Polish
  [3, "j i | je e ie | ch h | c c | ce ce | ci ci | cy ci | z z j1 | sz w | cz q | szcz w"],
  // French
  [4, "ou u | ch w | tch q | chtch w"],
];

const CYRILLIC = table(`
  ${DIGITS}
  а a | б b | в v | г g h3 | д d | е e | ж j g3 | з z s3 | и i e3 | й i | к k | л l | м m | н n | о o | п p | р r | с s
  т t | у u o2 v3 | ф f | х h | ц c k1 s2 | ч q | ш w | щ w | ъ - | ы i | ь - | э e a2 | ю iu u2 | я ia a3
  і i | є e | ґ g | ў u
  дж j g1 | ай ai i1 | ей ei a1 | эй ei a1 | оу ou o1 | ау au ou1 | игх i | кх h q1 | ткх q | ке ke se2 | ки ki si2
  уэ ue ve1 va2 | уа ua va1 | уи ui vi1 | уо uo vo1 | шн wn tion1 | шен wen tion2
`);

export const LATIN_HABITS: readonly Habit[] = [
  { cost: 0, spellings: LATIN },
  ...HABITS.map(([cost, own]) => ({ cost, spellings: new Map([...LATIN, ...table(own)]) })),
];

export const CYRILLIC_HABITS: readonly Habit[] = [{ cost: 0, spellings: CYRILLIC }];

function table(text: string): Spellings {
  const rows = text.trim().split(/\s*[|\n]\s*/);
  return new Map(
    rows.map((row) => {
      const [spelling = "", ...sounds] = row.split(" ");
      return [spelling, sounds.map(parse)];
    }),
  );
}

function parse(sound: string, index: number): Reading {
  if (/^\d$/.test(sound)) return { sound, cost: 0 };
  const [, letters = "", cost] = /^([a-z]*)-?(\d?)$/.exec(sound) ?? [];
  return { sound: letters, cost: cost ? Number(cost) : index };
}

/** Endings and what replaces them, tried in order until none fits; a stem keeps three letters. */
type Endings = readonly (readonly [ending: RegExp, left: string])[];

const ENGLISH: Endings = [
  [/(?<=..)our$/, "or"], // British armour, American armor
  [/(?<=..[^isu])s$/, ""], // sword|s; not glass, bus, tennis
  [/(?<=...)(?<=[oxz]|[cs]h|ss|[^aeiou][iu]s)e$/, ""], // hero|e-s, ax|e, watch|e-s, virus|e-s, promis|e
  [/(?<=..)(?:ie|(?<=[^aeiou])y)$/, "i"], // batteri|e-s and batter|y, zombi|e
];

/**
 * Endings of Russian and Ukrainian nouns and adjectives, and the ся of participles; longer endings go step by step:
 * ам|и.
 */
const RUSSIAN: Endings = [
  [/(?<=...)(?:(?<=щ.{2,3})ся|[ео]го|[аеиоыяі]м|[аиыяі]х|[еоі]в|[аеиоуыьюяйіє])$/, ""],
  [/(?<=.[бвгджзклмнпрстфхцчшщ])[ео](?=[бвгджзклмнпрстфхцчшщ]$)/, ""], // винтов|о|к, пуш|е|к, кон|е|ц
];

/** Games number what they have in every way: Scroll of Spirit VI, Five of Beasts, Level 3. */
const NUMBERS = new Map([
  ...Array.from({ length: 39 }, (_, n): [string, string] => [romanOf(n + 1), String(n + 1)]),
  ..."one two three four five six seven eight nine ten"
    .split(" ")
    .map((word, n): [string, string] => [word, String(n + 1)]),
]);

function romanOf(number: number): string {
  const ones = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
  return "x".repeat(Math.floor(number / 10)) + ones[number % 10];
}

/** Shorter words have no ending to remove; longer ones are not worth the time. */
const ENGLISH_WORD = /^[a-z]{4,40}$/;
const RUSSIAN_WORD = /^[а-яіїєґў]{4,40}$/;

/**
 * A normalised word without its inflection: the number of English nouns; case, number and gender of Russian and
 * Ukrainian nouns and adjectives. Roman numerals up to xxxix and the first English numbers become digits. All forms of a word should get the same stem, right or not: stems are only compared.
 * Idempotent. Other words stay as they are.
 */
export function stem(word: string): string {
  const number = NUMBERS.get(word);
  if (number !== undefined) return number;
  if (ENGLISH_WORD.test(word)) return withoutEndings(word, ENGLISH);
  return RUSSIAN_WORD.test(word) ? withoutEndings(word, RUSSIAN) : word;
}

function withoutEndings(word: string, endings: Endings): string {
  const found = endings.find(([ending]) => ending.test(word));
  return found ? withoutEndings(word.replace(...found), endings) : word;
}

/**
 * Words that people put around a name and that tell little: articles, prepositions, and what a question begins with. In
 * the languages of the site first, then in others that games have names in; normalised.
 */
const STOP_WORDS = new Set(
  `
  a an the of for in on at to from by with and or is are was were be do does did can could i you my me it its this that
  where what how who when which get find buy sell make drop drops use got need want best
  в во на с со у к ко из от до по за для о об и или а но как где что чем кто когда какой какая какое какие это этот эта
  есть ли мне я мой найти взять купить продать получить сделать нужен нужна нужно
  у в на з із зі до від для і й та або але як де що хто коли який яка яке які це є чи мені знайти взяти купити
  der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur im am auf mit fur aus bei wo wie
  was wer ist finde kaufen
  le la les un une des du de et ou au aux dans en sur pour par avec est comment quel quelle trouver acheter
  зе зэ оф энд
  el los las una unos unas del y o al con por para como donde que es son encontrar comprar
  `
    .trim()
    .split(/\s+/),
);

/** Whether a normalised word may be missing in a name that is meant. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
